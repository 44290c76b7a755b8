package server

import (
	"math"

	"wiki/core/articles"
	"wiki/server/api"
)

func (s *Server) listVersions(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	versions, err := s.core.Articles.Versions(q.Context(), q.actor, id)
	if err != nil {
		return nil, err
	}
	return ok(all(versions, versionView)), nil
}

func (s *Server) showVersion(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	n, err := q.pathNumber("n")
	if err != nil {
		return nil, err
	}
	version, err := s.core.Articles.Version(q.Context(), q.actor, id, n)
	if err != nil {
		return nil, err
	}
	v := versionView(version)
	v.Body = &version.Body
	return ok(v), nil
}

func (s *Server) diffVersions(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	p := q.params()
	from, to := p.number("from", 0, 1, math.MaxInt32), p.number("to", 0, 1, math.MaxInt32)
	if p.err == nil && (from == 0 || to == 0) {
		p.fail("from", "and to must both name a version")
	}
	if p.err != nil {
		return nil, p.err
	}
	d, err := s.core.Articles.Diff(q.Context(), q.actor, id, from, to)
	if err != nil {
		return nil, err
	}
	return ok(api.VersionDiff{From: d.From, To: d.To, Fields: orEmpty(d.Fields), Diff: d.Body}), nil
}

func (s *Server) restoreVersion(q *request) (*answer, error) {
	n, err := q.pathNumber("n")
	if err != nil {
		return nil, err
	}
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.Restore(q.Context(), q.actor, in.id, n, in.reason, in.key))
}

func versionView(v articles.Version) api.ArticleVersion {
	return api.ArticleVersion{
		Version: v.Number, Title: v.Title, Category: string(v.Category), Status: string(v.Status), Tags: orEmpty(v.Tags),
		Reason: v.Reason, ChangedBy: v.ChangedBy.Principal, ValidFrom: v.ValidFrom, ValidTo: v.ValidTo,
	}
}
