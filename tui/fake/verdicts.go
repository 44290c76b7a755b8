package fake

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
)

// Judge implements recording a verdict.
func (s *Server) Judge(_ context.Context, n api.NewVerdict, key string) (api.Verdict, error) {
	if err := s.begin("judge"); err != nil {
		return api.Verdict{}, err
	}
	defer s.mu.Unlock()
	if v, repeated := s.byKey[key].(api.Verdict); repeated {
		return v, nil
	}
	p := s.find(pairID(n.FirstID, n.SecondID))
	if p == nil {
		return api.Verdict{}, wiki.NotFound()
	}
	if c := p.Conflict.Claim; c != nil && !c.Mine {
		return api.Verdict{}, wiki.Errorf(wiki.CodeClaimed, "%s holds this pair", c.By)
	}
	if n.SeenFirst != 0 && (n.SeenFirst != p.First.Version || n.SeenSecond != p.Second.Version) {
		return api.Verdict{}, wiki.Errorf(wiki.CodeStale, "the pair changed since it was read")
	}
	v := s.record(p, n)
	s.byKey[key] = v
	return v, nil
}

func (s *Server) record(p *api.Pair, n api.NewVerdict) api.Verdict {
	now := s.now()
	v := &api.Verdict{
		ID: uuid.New(), ConflictID: p.Conflict.ID, Disposition: n.Disposition, Classification: n.Classification, Confidence: n.Confidence,
		Requested: n.Confidence, Authoritative: n.Authoritative, Evidence: n.Evidence, By: s.who.Principal, JudgedAt: now, Executable: true, Undo: "withdraw",
		First:  api.ArticleRef{ID: p.First.ID, Title: p.First.Title},
		Second: api.ArticleRef{ID: p.Second.ID, Title: p.Second.Title},
	}
	switch {
	case n.Disposition == string(wiki.Dismiss):
		v.ExecutedAt = &now
		p.Conflict.State = "settled"
	case n.Disposition == string(wiki.Supersede) && s.who.Role != "user":
		v.Confidence, v.Executable = string(wiki.ConfidenceMedium), false
	default:
		p.Conflict.State = "judged"
	}
	p.Conflict.Claim = nil
	p.Conflict.Verdict = v
	s.verdicts = append(s.verdicts, v)
	return *v
}

// Withdraw implements taking back a verdict.
func (s *Server) Withdraw(_ context.Context, id uuid.UUID, key string) (api.Verdict, error) {
	return s.takeBack("withdraw", id, key)
}

// Revert implements taking back an executed supersede.
func (s *Server) Revert(_ context.Context, id uuid.UUID, key string) (api.Verdict, error) {
	return s.takeBack("revert", id, key)
}

func (s *Server) takeBack(verb string, id uuid.UUID, key string) (api.Verdict, error) {
	if err := s.begin(verb); err != nil {
		return api.Verdict{}, err
	}
	defer s.mu.Unlock()
	if v, repeated := s.byKey[key].(api.Verdict); repeated {
		return v, nil
	}
	for _, v := range s.verdicts {
		if v.ID != id {
			continue
		}
		if v.Undo != verb {
			return api.Verdict{}, wiki.Errorf(wiki.CodeAlreadyExecuted, "the verdict has been executed")
		}
		now := s.now()
		if verb == "withdraw" {
			v.WithdrawnAt = &now
		} else {
			v.RevertedAt = &now
		}
		v.Undo = "none"
		s.find(v.ConflictID).Conflict.State = "open"
		s.byKey[key] = *v
		return *v, nil
	}
	return api.Verdict{}, wiki.NotFound()
}

// Execute implements applying what waits.
func (s *Server) Execute(_ context.Context, key string) (api.Executed, error) {
	if err := s.begin("execute"); err != nil {
		return api.Executed{}, err
	}
	defer s.mu.Unlock()
	if x, repeated := s.byKey[key].(api.Executed); repeated {
		return x, nil
	}
	var x api.Executed
	now := s.now()
	for _, v := range s.verdicts {
		if v.Executable && v.ExecutedAt == nil && v.WithdrawnAt == nil {
			v.ExecutedAt, v.Undo = &now, "revert"
			s.find(v.ConflictID).Conflict.State = "settled"
			x.Executed++
			x.Results = append(x.Results, api.Outcome{ID: v.ConflictID, Outcome: "executed"})
		}
	}
	s.byKey[key] = x
	return x, nil
}

// Verdicts implements the log, newest first.
func (s *Server) Verdicts(_ context.Context, q api.VerdictQuery) ([]api.Verdict, api.Meta, error) {
	if err := s.begin("verdicts"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	var out []api.Verdict
	for i := len(s.verdicts) - 1; i >= 0; i-- {
		v := *s.verdicts[i]
		if (q.Mine && v.By != s.who.Principal) || (q.State == "undoable" && v.Undo == "none") {
			continue
		}
		out = append(out, v)
	}
	total := len(out)
	return out, api.Meta{TotalCount: &total}, nil
}
