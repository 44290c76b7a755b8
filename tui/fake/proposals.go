package fake

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
)

// Offer puts a bulk proposal before the curator; its items are those of the proposal.
func (s *Server) Offer(p api.BulkProposal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.State, p.MayApprove = "pending", true
	p.Counts = map[string]int{"requested": len(p.Items), "left": len(p.Items)}
	s.proposals = append(s.proposals, &p)
}

// Proposals implements the list.
func (s *Server) Proposals(_ context.Context, q api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error) {
	if err := s.begin("proposals"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	var out []api.BulkProposal
	waiting := 0
	for _, p := range s.proposals {
		if p.State == "pending" {
			waiting++
		}
		if p.State == q.State {
			out = append(out, *p)
		}
	}
	return out, api.Meta{Counts: map[string]int{"pending": waiting}}, nil
}

// Proposal implements reading one.
func (s *Server) Proposal(_ context.Context, id uuid.UUID) (api.BulkProposal, error) {
	if err := s.begin("proposal"); err != nil {
		return api.BulkProposal{}, err
	}
	defer s.mu.Unlock()
	p, err := s.offered(id)
	if err != nil {
		return api.BulkProposal{}, err
	}
	return *p, nil
}

// ProposalItems implements reading its items, all at once.
func (s *Server) ProposalItems(_ context.Context, id uuid.UUID, _ string, _ int) ([]api.BulkItem, api.Meta, error) {
	if err := s.begin("items"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	p, err := s.offered(id)
	if err != nil {
		return nil, api.Meta{}, err
	}
	return p.Items, api.Meta{}, nil
}

func (s *Server) offered(id uuid.UUID) (*api.BulkProposal, error) {
	for _, p := range s.proposals {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, wiki.NotFound()
}

// ApproveProposal implements carrying one out: one article at a call, so that a run takes as many calls as a large one does.
func (s *Server) ApproveProposal(_ context.Context, id uuid.UUID, in api.Approval, key string) (api.BulkRun, api.Meta, error) {
	if err := s.begin("approve"); err != nil {
		return api.BulkRun{}, api.Meta{}, err
	}
	defer s.mu.Unlock()
	p, err := s.offered(id)
	if err != nil {
		return api.BulkRun{}, api.Meta{}, err
	}
	if _, repeated := s.byKey[key]; !repeated {
		if p.State != "pending" {
			return api.BulkRun{}, api.Meta{}, wiki.Errorf(wiki.CodeProposalSettled, "the proposal is %s already, by %s", p.State, p.SettledBy)
		}
		s.byKey[key] = in
		p.State, p.SettledBy = "running", s.who.Principal
		p.Counts["excluded"] = len(in.Exclude)
		p.Counts["left"] -= len(in.Exclude)
	}
	return step(p)
}

// ExecuteProposal implements carrying a run on.
func (s *Server) ExecuteProposal(_ context.Context, id uuid.UUID) (api.BulkRun, api.Meta, error) {
	if err := s.begin("carry on"); err != nil {
		return api.BulkRun{}, api.Meta{}, err
	}
	defer s.mu.Unlock()
	p, err := s.offered(id)
	if err != nil {
		return api.BulkRun{}, api.Meta{}, err
	}
	return step(p)
}

func step(p *api.BulkProposal) (api.BulkRun, api.Meta, error) {
	if p.Counts["left"] > 0 {
		p.Counts["left"]--
		p.Counts[p.Op+"d"]++
	}
	if p.Counts["left"] == 0 {
		p.State = "executed"
	}
	return api.BulkRun{ID: &p.ID, Op: p.Op, State: p.State, Left: p.Counts["left"]}, api.Meta{Counts: p.Counts}, nil
}

// RejectProposal implements deciding against one.
func (s *Server) RejectProposal(_ context.Context, id uuid.UUID, reason, _ string) (api.BulkProposal, error) {
	return s.settle("reject", "rejected", id, reason)
}

// WithdrawProposal implements taking one back.
func (s *Server) WithdrawProposal(_ context.Context, id uuid.UUID, reason, _ string) (api.BulkProposal, error) {
	return s.settle("recall", "withdrawn", id, reason)
}

func (s *Server) settle(method, to string, id uuid.UUID, reason string) (api.BulkProposal, error) {
	if err := s.begin(method); err != nil {
		return api.BulkProposal{}, err
	}
	defer s.mu.Unlock()
	p, err := s.offered(id)
	if err != nil {
		return api.BulkProposal{}, err
	}
	if p.State != "pending" {
		return api.BulkProposal{}, wiki.Errorf(wiki.CodeProposalSettled, "the proposal is %s already, by %s", p.State, p.SettledBy)
	}
	p.State, p.SettledBy, p.SettleReason = to, s.who.Principal, reason
	return *p, nil
}
