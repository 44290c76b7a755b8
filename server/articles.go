package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/record"
	"wiki/core/usage"
	"wiki/core/wiki"
	"wiki/server/api"
)

// Bounds of list parameters.
const maxListOffset = 1_000_000

func (s *Server) listArticles(q *request) (*answer, error) {
	p := q.params()
	f := p.articles()
	f.IncludeBody, f.Suppressed, f.Cursor = p.on("include_body"), p.flag("suppressed"), p.cursor("cursor")
	f.Limit, f.Offset = p.number("limit", articles.DefaultLimit, 1, articles.MaxLimit), p.number("offset", 0, 0, maxListOffset)
	if p.err != nil {
		return nil, p.err
	}
	page, err := s.core.Articles.List(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	more := page.Next != ""
	meta := api.Meta{TotalCount: &page.Total, Limit: f.Limit, Offset: &f.Offset, NextCursor: page.Next, HasMore: &more}
	view := headView
	if f.IncludeBody {
		view = articleView
	}
	return ok(all(page.Articles, view)).with(meta), nil
}

// articles reads the filter that lists, counts and facets share (facts §3.4).
func (p *params) articles() articles.Filter {
	return articles.Filter{
		Category: wiki.Category(p.text("category", maxWordRunes)), Status: wiki.Status(p.text("status", maxWordRunes)),
		Tags: p.list("tags", wiki.MaxTags, wiki.MaxTagBytes), AllTags: p.choice("match", matchAny, matchAll) == matchAll,
		SourceType: p.text("source_type", maxWordRunes), SourceID: p.id("source_id"),
		IdempotencyKey: p.text("idempotency_key", wiki.MaxIdempotencyKeyBytes), Project: p.id("project_id"),
		Title: p.text("title", wiki.MaxTitleRunes),
	}
}

// How several tags filter.
const (
	matchAny = "any"
	matchAll = "all"
)

func (s *Server) showArticle(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	return s.show(q, id, usage.Get)
}

// show answers with an article by its id, and records how it was reached.
func (s *Server) show(q *request, id uuid.UUID, how usage.Kind) (*answer, error) {
	shown, err := s.core.Articles.Get(q.Context(), q.actor, id)
	if err != nil {
		return nil, err
	}
	s.core.Usage.Note(q.Context(), q.actor, how, []uuid.UUID{id}, nil)
	v := articleView(shown.Article)
	v.OutgoingLinks, v.IncomingLinks = all(shown.Outgoing, linkView), all(shown.Incoming, linkView)
	return ok(v).tagged(tagOf(v)), nil
}

func (s *Server) updateArticle(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	version, err := q.ifMatch()
	if err != nil {
		return nil, err
	}
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.ArticlePatch](q)
	if err != nil {
		return nil, err
	}
	patch := record.Patch{
		Title: in.Title, Body: in.Body, Slug: in.Slug, Tags: in.Tags, Metadata: in.Metadata, Project: in.ProjectID, Reason: in.Reason,
		Category: (*wiki.Category)(in.Category), Status: (*wiki.Status)(in.Status),
	}
	return changed(s.core.Record.Update(q.Context(), q.actor, id, version, patch, key))
}

// changed answers with an article as it stands after an act.
func changed(a wiki.Article, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	v := articleView(a)
	return ok(v).tagged(tagOf(v)), nil
}

// tagDigits of SHA-256 tell apart two states of what the version does not cover.
const tagDigits = 12

// tagOf is an article's entity tag: its version number, which is what If-Match reads. What can change without a new version
// (suppression, curation, read days, links) adds a digest when there is any, so that If-None-Match hides no such change.
func tagOf(a api.Article) string {
	tag := strconv.Itoa(a.Version)
	if a.SuppressedAt == nil && a.CuratedAt == nil && a.ReadDayCount == nil && len(a.OutgoingLinks)+len(a.IncomingLinks) == 0 {
		return tag
	}
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{a.SuppressedAt, a.CuratedAt, a.ReadDayCount, a.OutgoingLinks, a.IncomingLinks}) // plain values: it cannot fail
	return tag + "-" + hex.EncodeToString(h.Sum(nil))[:tagDigits]
}

func articleView(a wiki.Article) api.Article {
	v := headView(a)
	v.Body = &a.Body
	return v
}

// headView is an article without its body.
func headView(a wiki.Article) api.Article {
	v := api.Article{
		ID: a.ID, TenantID: known(&a.Tenant), ProjectID: a.Project, Title: a.Title, Category: string(a.Category), Status: string(a.Status),
		Scope: string(a.Scope), Slug: a.Slug, Tags: orEmpty(a.Tags), SourceType: a.SourceType, SourceID: a.SourceID,
		IdempotencyKey: a.IdempotencyKey, Metadata: a.Metadata, Version: a.Version, CreatedBy: a.CreatedBy.Principal,
		PreviousTitle: a.PreviousTitle, ReadDayCount: a.ReadDayCount, CuratedAt: a.CuratedAt, CuratedBy: a.CuratedBy,
		SuppressedAt: a.SuppressedAt, SuppressedBy: a.SuppressedBy, SuppressionReason: a.SuppressionReason,
		ContentChangedAt: a.ContentChangedAt, InsertedAt: a.InsertedAt, UpdatedAt: a.UpdatedAt,
	}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	return v
}

// orEmpty makes an absent list an empty one, which is [] on the wire and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
