package server

import (
	"strconv"

	"wiki/core/proposals"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) mintProposal(q *request) (*answer, error) {
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.NewBulkProposal](q)
	if err != nil {
		return nil, err
	}
	if err := noConfirm(q, in.Confirm); err != nil {
		return nil, err
	}
	d, err := s.core.Proposals.Mint(q.Context(), q.actor, proposals.Request{
		Act:      wiki.BulkAct{Op: wiki.Op(in.Op), Hard: in.Hard, AddTags: in.AddTags, RemoveTags: in.RemoveTags},
		Selector: wiki.Selector{IDs: in.ArticleIDs, SourceType: in.SourceType, SourceID: in.SourceID, Tag: in.Tag}, Reason: in.Rationale,
	}, key)
	if err != nil {
		return nil, err
	}
	return created(detailView(d)), nil
}

func (s *Server) listProposals(q *request) (*answer, error) {
	p := q.params()
	f := proposals.Filter{
		State: proposals.State(p.text("state", maxWordRunes)), Op: wiki.Op(p.text("op", maxWordRunes)), By: p.text("by", wiki.MaxAgentIDBytes),
		Limit: p.number("limit", proposals.DefaultLimit, 1, proposals.MaxLimit), Cursor: p.cursor("cursor"),
	}
	if p.err != nil {
		return nil, p.err
	}
	page, next, waiting, err := s.core.Proposals.List(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	return ok(all(page, proposalView)).with(api.Meta{Limit: f.Limit, NextCursor: next, Counts: map[string]int{string(proposals.StatePending): waiting}}), nil
}

func (s *Server) showProposal(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	return detail(s.core.Proposals.Get(q.Context(), q.actor, id))
}

func (s *Server) listProposalItems(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	p := q.params()
	after, limit := p.serial("cursor"), p.number("limit", proposals.MaxItems, 1, proposals.MaxItems)
	if p.err != nil {
		return nil, p.err
	}
	list, err := s.core.Proposals.Items(q.Context(), q.actor, id, int(after), limit)
	if err != nil {
		return nil, err
	}
	meta := api.Meta{Limit: limit}
	if len(list) == limit {
		meta.NextCursor = strconv.Itoa(list[len(list)-1].Position)
	}
	return ok(all(list, itemView)).with(meta), nil
}

func (s *Server) approveProposal(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decodeOptional[api.Approval](q)
	if err != nil {
		return nil, err
	}
	if err := noConfirm(q, in.Confirm); err != nil {
		return nil, err
	}
	approval := proposals.Approval{Exclude: in.Exclude, Reason: in.Reason}
	for _, c := range in.Reconfirm {
		approval.Reconfirm = append(approval.Reconfirm, proposals.Seen{Article: c.ID, Version: c.Version})
	}
	out, err := s.core.Proposals.Approve(q.Context(), q.actor, id, approval, key)
	if err != nil {
		return nil, err
	}
	return runAnswer(out), nil
}

func (s *Server) rejectProposal(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return detail(s.core.Proposals.Reject(q.Context(), q.actor, in.id, in.reason, in.key))
}

func (s *Server) withdrawProposal(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return detail(s.core.Proposals.Withdraw(q.Context(), q.actor, in.id, in.reason, in.key))
}

// executeProposal carries on a run that was cut.
func (s *Server) executeProposal(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	out, err := s.core.Proposals.Execute(q.Context(), q.actor, id)
	if err != nil {
		return nil, err
	}
	return runAnswer(out), nil
}

func detail(d proposals.Detail, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	return ok(detailView(d)), nil
}

func detailView(d proposals.Detail) api.BulkProposal {
	v := proposalView(d.Listed)
	v.Items, v.MayApprove, v.WhyNot = all(d.Items, itemView), d.MayApprove, d.WhyNot
	return v
}

func proposalView(l proposals.Listed) api.BulkProposal {
	v := api.BulkProposal{
		ID: l.ID, Op: string(l.Act.Op), Hard: l.Act.Hard, AddTags: orEmpty(l.Act.AddTags), RemoveTags: orEmpty(l.Act.RemoveTags), Selector: l.Selector,
		Rationale: l.Reason, State: string(l.State), MintedBy: l.MintedBy.Principal, MintedRole: l.MintedBy.Role, MintedAt: l.MintedAt, ExpiresAt: l.ExpiresAt,
		SettledAt: l.SettledAt, SettleReason: l.SettleReason, LoneOperator: l.LoneOperator, ExecutedAt: l.ExecutedAt,
		Counts: countsView(l.Act, l.Counts), Impact: impactView(l.Impact),
	}
	if l.SettledBy != nil {
		v.SettledBy = l.SettledBy.Principal
	}
	return v
}
