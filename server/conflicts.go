package server

import (
	"github.com/go-chi/chi/v5"

	"wiki/core/conflicts"
	"wiki/core/wiki"
	"wiki/server/api"
)

// conflictFilter reads what narrows the queue, and its page.
func (p *params) conflictFilter() conflicts.Filter {
	f := conflicts.Filter{
		State:    wiki.ConflictState(p.choice("state", string(wiki.ConflictOpen), string(wiki.ConflictJudged), string(wiki.ConflictSettled))),
		Kind:     p.choice("kind", "", "system", "asserted"),
		Category: wiki.Category(p.text("category", maxWordRunes)), By: p.text("by", wiki.MaxAgentIDBytes),
		MinAgeHours: p.number("min_age_hours", 0, 0, conflicts.MaxAgeHours), MaxAgeHours: p.number("max_age_hours", 0, 0, conflicts.MaxAgeHours),
		Limit: p.number("limit", conflicts.DefaultLimit, 1, conflicts.MaxLimit), Cursor: p.cursor("cursor"),
	}
	if v := p.fraction("min_similarity"); v != nil {
		f.MinSimilarity = *v
	}
	if v := p.fraction("max_similarity"); v != nil {
		f.MaxSimilarity = *v
	}
	if id := p.id("article_id"); id != nil {
		f.Article = *id
	}
	return f
}

func (s *Server) listConflicts(q *request) (*answer, error) {
	p := q.params()
	f := p.conflictFilter()
	f.Sort = conflicts.Sort(p.choice("sort", string(conflicts.SortImpact), string(conflicts.SortNewest), string(conflicts.SortOldest)))
	if p.err != nil {
		return nil, p.err
	}
	page, err := s.core.Conflicts.Queue(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	return ok(all(page.Items, conflictView)).with(api.Meta{Limit: f.Limit, NextCursor: page.Next, Counts: page.Counts}), nil
}

func (s *Server) listConflictGroups(q *request) (*answer, error) {
	p := q.params()
	f := p.conflictFilter()
	if p.err != nil {
		return nil, p.err
	}
	page, err := s.core.Conflicts.Groups(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	return ok(all(page.Items, groupView)).with(api.Meta{Limit: f.Limit, NextCursor: page.Next}), nil
}

func groupView(g conflicts.Group) api.ConflictGroup {
	return api.ConflictGroup{
		Article: api.ArticleRef{ID: g.Article, Title: g.Title}, Category: string(g.Category), Status: string(g.Status),
		Pairs: g.Pairs, Similarity: g.Similarity, Oldest: g.Oldest,
	}
}

func (q *request) pair() (wiki.Pair, error) { return wiki.ParsePair(chi.URLParam(q.Request, "pair")) }

func (s *Server) showConflict(q *request) (*answer, error) {
	pair, err := q.pair()
	if err != nil {
		return nil, err
	}
	d, err := s.core.Conflicts.Pair(q.Context(), q.actor, pair)
	if err != nil {
		return nil, err
	}
	return ok(api.Pair{
		Conflict: conflictView(d.Conflict), First: documentView(d.First), Second: documentView(d.Second), History: all(d.History, verdictView),
		Withheld: d.Withheld,
	}), nil
}

func (s *Server) assertConflict(q *request) (*answer, error) {
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.NewAssertion](q)
	if err != nil {
		return nil, err
	}
	c, err := s.core.Conflicts.Assert(q.Context(), q.actor, conflicts.Assertion{A: in.FirstID, B: in.SecondID, Evidence: in.Evidence}, key)
	if err != nil {
		return nil, err
	}
	return created(conflictView(c)), nil
}

func (s *Server) claimConflict(q *request) (*answer, error) {
	pair, err := q.pair()
	if err != nil {
		return nil, err
	}
	c, err := s.core.Conflicts.Claim(q.Context(), q.actor, pair)
	if err != nil {
		return nil, err
	}
	return ok(claimView(c)), nil
}

func (s *Server) releaseConflict(q *request) (*answer, error) {
	pair, err := q.pair()
	if err != nil {
		return nil, err
	}
	return noContent(), s.core.Conflicts.Release(q.Context(), q.actor, pair)
}

func claimView(c conflicts.Claim) api.Claim {
	return api.Claim{By: c.By, Mine: c.Mine, ExpiresAt: c.ExpiresAt}
}

func conflictView(c conflicts.Conflict) api.Conflict {
	kind := "asserted"
	if c.Flag.System {
		kind = "system"
	}
	v := api.Conflict{
		ID: c.Pair.String(), State: string(c.State), Closed: c.Closed, Kind: kind, Similarity: c.Flag.Similarity, Differing: all(c.Flag.Differing, differenceView),
		Evidence: c.Flag.Evidence, FlaggedBy: c.Flag.By.Principal, FlaggedAt: c.Flag.FlaggedAt, First: sideView(c.First), Second: sideView(c.Second),
		Withheld: c.Withheld,
	}
	if again := c.Flag.Again; again != nil {
		v.Again = &api.Again{
			VerdictID: again.Verdict, Disposition: string(again.Disposition), By: again.By, JudgedAt: again.JudgedAt, Changed: again.Changed,
		}
	}
	if c.Claim != nil {
		claim := claimView(*c.Claim)
		v.Claim = &claim
	}
	if c.Verdict != nil {
		verdict := verdictView(*c.Verdict)
		v.Verdict = &verdict
	}
	return v
}

func sideView(s conflicts.Side) api.ConflictSide {
	return api.ConflictSide{
		ID: s.ID, Title: s.Title, Category: string(s.Category), Status: string(s.Status), Version: s.Version, CreatedBy: s.CreatedBy,
		InsertedAt: s.InsertedAt, ChangedAt: s.ChangedAt, BodyBytes: s.BodyBytes, Reads: s.Reads,
	}
}

func documentView(d conflicts.Document) api.Article {
	v := articleView(d.Article)
	v.OutgoingLinks, v.IncomingLinks = all(d.Outgoing, linkView), all(d.Incoming, linkView)
	return v
}

func differenceView(d wiki.Difference) api.Difference {
	return api.Difference{Kind: d.Kind, First: d.First, Second: d.Second}
}
