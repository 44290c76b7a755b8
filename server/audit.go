package server

import (
	"strconv"

	"github.com/google/uuid"

	"wiki/core/audit"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) listAudit(q *request) (*answer, error) {
	p := q.params()
	f := audit.Filter{
		Principal: p.text("principal", wiki.MaxAgentIDBytes), Act: p.text("act", maxWordRunes),
		Limit: p.number("limit", audit.DefaultLimit, 1, audit.MaxLimit), Before: p.serial("cursor"),
	}
	if id := p.id("subject"); id != nil {
		f.Subject = *id
	}
	if p.err != nil {
		return nil, p.err
	}
	records, err := s.core.Audit.List(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	meta := api.Meta{Limit: f.Limit}
	if len(records) == f.Limit {
		meta.NextCursor = strconv.FormatInt(records[len(records)-1].ID, 10)
	}
	return ok(all(records, auditView)).with(meta), nil
}

func auditView(r audit.Record) api.AuditEntry {
	return api.AuditEntry{ID: r.ID, Principal: r.Principal, Role: r.Role, Act: r.Act, Subject: known(r.Subject), Title: r.Title, Detail: r.Detail, At: r.At}
}

// known drops an id that is zero.
func known(id *uuid.UUID) *uuid.UUID {
	if id == nil || *id == uuid.Nil {
		return nil
	}
	return id
}
