package server

import (
	"encoding/json"
	"net/http"

	"wiki/core/proposals"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) bulkArchive(q *request) (*answer, error)   { return s.bulk(q, wiki.OpArchive) }
func (s *Server) bulkDelete(q *request) (*answer, error)    { return s.bulk(q, wiki.OpDelete) }
func (s *Server) bulkPublish(q *request) (*answer, error)   { return s.bulk(q, wiki.OpPublish) }
func (s *Server) bulkUnpublish(q *request) (*answer, error) { return s.bulk(q, wiki.OpUnpublish) }
func (s *Server) bulkRetag(q *request) (*answer, error)     { return s.bulk(q, wiki.OpRetag) }

// bulk does one op to a set. A dry run freezes the set; everything else runs, by what the dry run gave where that is needed
// (SPEC §4).
func (s *Server) bulk(q *request, op wiki.Op) (*answer, error) {
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.BulkRequest](q)
	if err != nil {
		return nil, err
	}
	if err := noConfirm(q, in.Confirm); err != nil {
		return nil, err
	}
	r := proposals.Request{
		Act:      wiki.BulkAct{Op: op, Hard: in.Hard, AddTags: in.AddTags, RemoveTags: in.RemoveTags},
		Selector: wiki.Selector{IDs: in.ArticleIDs, SourceType: in.SourceType, SourceID: in.SourceID, Tag: in.Tag}, Reason: in.Reason,
	}
	if in.DryRun {
		if in.ProposalToken+in.ConfirmHash != "" {
			return nil, wiki.Invalid("dry_run", "a dry run takes no credential")
		}
		p, err := s.core.Proposals.DryRun(q.Context(), q.actor, r)
		if err != nil {
			return nil, err
		}
		return ok(previewView(p)), nil
	}
	out, err := s.core.Proposals.Run(q.Context(), q.actor, r, proposals.Credential{Token: in.ProposalToken, Hash: in.ConfirmHash}, key)
	if err != nil {
		return nil, err
	}
	return runAnswer(out), nil
}

// noConfirm refuses a flag by which a caller would approve its own request (seed, invariant 4): whatever its value, in the
// body or in the query.
func noConfirm(q *request, confirm json.RawMessage) error {
	if confirm == nil && !q.URL.Query().Has("confirm") {
		return nil
	}
	e := wiki.Errorf(wiki.CodeConfirmRemoved, "confirm is not taken: nobody approves what it asks for itself")
	e.Field, e.Remedy = "confirm", "send dry_run, look at the answer, then send the proposal_token or confirm_hash of that answer"
	return e
}

// runAnswer is 202 while items are left: the same request carries the run on.
func runAnswer(r proposals.Result) *answer {
	data := api.BulkRun{ID: known(&r.ID), Op: string(r.Act.Op), Hard: r.Act.Hard, Selector: r.Selector, State: string(r.State), Left: r.Counts.Left}
	results := make([]api.Outcome, len(r.Items))
	for i, it := range r.Items {
		results[i] = api.Outcome{ID: it.Article.String(), Outcome: it.Outcome, Code: it.Code, Message: it.Message}
	}
	a := ok(data).with(api.Meta{Count: &r.Counts.Done, Counts: countsView(r.Act, r.Counts), Results: results})
	if r.Counts.Left > 0 {
		a.status = http.StatusAccepted
	}
	return a
}

// countsView names the counts as facts §3.5 does: what was done goes by the act's own word.
func countsView(act wiki.BulkAct, c proposals.Counts) map[string]int {
	return map[string]int{
		"requested": c.Requested, act.Done(): c.Done, proposals.OutcomeSkipped: c.Skipped, proposals.OutcomeExcluded: c.Excluded,
		proposals.OutcomeNotFound: c.NotFound, proposals.OutcomeErrored: c.Errored, "left": c.Left,
	}
}

func previewView(p proposals.Preview) api.BulkPreview {
	v := api.BulkPreview{
		Op: string(p.Act.Op), Hard: p.Act.Hard, Selector: p.Selector, Count: p.Present, Articles: all(p.Articles, itemView), NotFound: orEmpty(p.NotFound),
		Impact: impactView(p.Impact), Token: p.Token, Hash: p.Hash,
	}
	if !p.ExpiresAt.IsZero() {
		v.ExpiresAt = &p.ExpiresAt
	}
	return v
}

func itemView(i proposals.Item) api.BulkItem {
	v := api.BulkItem{
		Position: i.Position, ID: i.Article, Title: i.Title, Version: i.Version, Outcome: i.Outcome, Code: i.Code, Message: i.Message, Changed: i.Changed(),
	}
	if i.Standing != nil {
		v.Status, v.Current, v.Curated = string(i.Standing.Status), i.Standing.Version, i.Standing.Curated
	}
	return v
}

func impactView(i proposals.Impact) api.Impact {
	v := api.Impact{LinkCount: i.LinkCount, CuratedCount: i.CuratedCount, Curated: i.Curated, GoldenKnown: i.GoldenKnown}
	for _, b := range i.Links {
		v.Links = append(v.Links, api.BrokenLink{
			Relationship: string(b.Relation), From: api.ArticleRef{ID: b.From.ID, Title: b.From.Title}, To: api.ArticleRef{ID: b.To.ID, Title: b.To.Title},
		})
	}
	for _, g := range i.Golden {
		v.Golden = append(v.Golden, api.GoldenQuestion{ID: g.ID, Question: g.Question, ArticleID: g.Article})
	}
	return v
}
