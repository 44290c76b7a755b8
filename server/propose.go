package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"wiki/core/gate"
	"wiki/core/wiki"
	"wiki/server/api"
)

// propose sends an article through the gate. 201 says that a row was made, 200 that none was: both are answers, and
// data.verdict says which of the six (SPEC §3).
func (s *Server) propose(q *request) (*answer, error) {
	raw, err := readJSON(q)
	if err != nil {
		return nil, err
	}
	p, err := decodeProposal(raw)
	if err != nil {
		return nil, err
	}
	o, err := s.core.Gate.Propose(q.Context(), q.actor, p)
	s.metrics.Proposed(o, err)
	if err != nil {
		return nil, err
	}
	a := ok(proposedView(o))
	if o.Created {
		a.status = http.StatusCreated
		a.tag = strconv.Itoa(o.Article.Version)
	}
	return a, nil
}

// decodeProposal reads what it can. A field of the wrong kind is no error here but the proposal's first fault: its
// idempotency key is looked up before anything is validated (SPEC §3), so that a harvest whose extraction broke still hears
// that its capture stands. Errors: CodeMalformed, CodeUnknownField.
func decodeProposal(raw []byte) (gate.Proposal, error) {
	var in api.Proposal
	list, err := members(raw, &in)
	if err != nil {
		return gate.Proposal{}, err
	}
	wrong := map[string]error{}
	var fault error
	for _, m := range list {
		if err := m.decode(&in); err != nil {
			wrong[m.name] = err
			if fault == nil {
				fault = err
			}
		}
	}
	if err := wrong["project_id"]; err != nil { // the one check that comes before the key
		return gate.Proposal{}, err
	}
	body, err := submittedBody(in.Body)
	return gate.Proposal{
		Title: in.Title, TitleUnreadable: wrong["title"] != nil, Body: body, Category: wiki.Category(in.Category), Slug: in.Slug,
		Scope: wiki.Scope(in.Scope), Tags: in.Tags,
		Project: in.ProjectID, SourceType: in.SourceType, SourceID: in.SourceID, IdempotencyKey: in.IdempotencyKey, Metadata: in.Metadata,
		Draft: in.Draft || in.Status == string(wiki.StatusDraft), // any other status of a caller's says nothing
		Force: in.Force, OnLowNovelty: in.OnLowNovelty, OnGateUnavailable: in.OnGateUnavailable, Fault: fault,
	}, err
}

// submittedBody tells an absent body from a present one that is no text: drift treats the two differently. null is present
// here, unlike in the rest of the API: it is what an extraction that broke sends, and must not be answered "in sync".
func submittedBody(raw json.RawMessage) (wiki.SubmittedBody, error) {
	if len(raw) == 0 {
		return wiki.SubmittedBody{}, nil
	}
	if raw[0] != '"' {
		return wiki.SubmittedBody{Present: true}, nil
	}
	b := wiki.SubmittedBody{Present: true, IsText: true}
	return b, json.Unmarshal(raw, &b.Text)
}

func proposedView(o gate.Outcome) api.Proposed {
	v := api.Proposed{
		Verdict: string(o.Verdict), Created: o.Created, Novelty: o.Novelty(),
		// An answer for what stands already, by key, by title or by likeness, is deduplicated: true and carries the drift flags.
		Deduplicated: o.Verdict == gate.Deduplicated || o.Verdict == gate.Duplicate,
		ContentDrift: o.ContentDrift, TitleDrift: o.TitleDrift, DriftEventID: o.DriftEvent, FlaggedWith: o.Flagged, Note: o.Note,
	}
	if o.Article != nil {
		view := headView // what stands is named, not sent again
		if o.Created {
			view = articleView
		}
		article := view(*o.Article)
		v.Article = &article
	}
	if n := o.Neighbour; n != nil {
		v.Neighbour = &api.Neighbour{Article: api.ArticleRef{ID: n.ID, Title: n.Title}, Cosine: float64(n.Cosine), Differing: all(o.Differing, differenceView)}
	}
	return v
}
