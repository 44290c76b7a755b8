package server

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/conflicts"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) judge(q *request) (*answer, error) {
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.NewVerdict](q)
	if err != nil {
		return nil, err
	}
	v, err := s.core.Conflicts.Judge(q.Context(), q.actor, conflicts.Judgement{
		A: in.FirstID, B: in.SecondID, Disposition: wiki.Disposition(in.Disposition), Classification: wiki.Classification(in.Classification),
		Confidence: wiki.Confidence(in.Confidence), Authoritative: in.Authoritative, Evidence: in.Evidence, SeenA: in.SeenFirst, SeenB: in.SeenSecond,
	}, key)
	if err != nil {
		return nil, err
	}
	a := ok(verdictView(v))
	if winner := in.Authoritative; wiki.Disposition(in.Disposition) == wiki.Supersede && winner != nil {
		loser := in.FirstID
		if loser == *winner {
			loser = in.SecondID
		}
		a = a.with(api.Meta{StillLive: s.stillLive(q, loser, *winner)})
	}
	return a, nil
}

func (s *Server) listVerdicts(q *request) (*answer, error) {
	p := q.params()
	f := conflicts.LogFilter{
		Mine: p.on("mine"), Undoable: p.choice("state", "", "undoable") != "",
		Limit: p.number("limit", conflicts.DefaultLimit, 1, conflicts.MaxLimit), Cursor: p.cursor("cursor"),
	}
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.core.Conflicts.Log(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	return ok(all(list, verdictView)).with(api.Meta{Limit: f.Limit, NextCursor: next}), nil
}

func (s *Server) withdrawVerdict(q *request) (*answer, error) {
	return undo(q, s.core.Conflicts.Withdraw)
}

func (s *Server) revertVerdict(q *request) (*answer, error) { return undo(q, s.core.Conflicts.Revert) }

func undo(q *request, how func(context.Context, wiki.Actor, uuid.UUID, string) (conflicts.Verdict, error)) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	v, err := how(q.Context(), q.actor, in.id, in.key)
	if err != nil {
		return nil, err
	}
	return ok(verdictView(v)), nil
}

func (s *Server) executeVerdicts(q *request) (*answer, error) {
	in, err := decodeOptional[api.Execute](q)
	if err != nil {
		return nil, err
	}
	t, err := s.core.Conflicts.Execute(q.Context(), q.actor, in.Limit)
	if err != nil {
		return nil, err
	}
	return ok(api.Executed{Executed: t.Executed, Refused: t.Refused, Failed: t.Failed, Left: t.Left, Results: all(t.Outcomes, outcomeView)}), nil
}

func outcomeView(o conflicts.Outcome) api.Outcome {
	return api.Outcome{ID: o.Verdict.String(), Outcome: o.Outcome, Code: string(o.Code), Message: o.Message}
}

func verdictView(v conflicts.Verdict) api.Verdict {
	out := api.Verdict{
		ID: v.ID, ConflictID: wiki.Pair{First: v.First, Second: v.Second}.String(),
		First: api.ArticleRef{ID: v.First, Title: v.FirstTitle}, Second: api.ArticleRef{ID: v.Second, Title: v.SecondTitle},
		Disposition: string(v.Disposition), Classification: string(v.Classification), Confidence: string(v.Confidence), Requested: string(v.Requested),
		Authoritative: v.Authoritative, Evidence: v.Evidence, By: v.By.Principal, JudgedAt: v.JudgedAt, Executable: v.Executable(),
		ExecutedAt: v.ExecutedAt, WithdrawnAt: v.WithdrawnAt, RevertedAt: v.RevertedAt, Undo: string(v.Undo), UndoWhy: v.UndoWhy,
	}
	if text, isText := v.Result["draft_id"].(string); isText {
		if id, err := uuid.Parse(text); err == nil {
			out.DraftID = &id
		}
	}
	return out
}
