package proposals

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Request names a set and what is to be done to it.
type Request struct {
	Act      wiki.BulkAct
	Selector wiki.Selector
	Reason   string // kept in each article's history; a proposal's rationale
}

// clean gives the request in the form in which it is stored.
func (s *Service) clean(r Request) (Request, error) {
	var err error
	if r.Act, err = wiki.CleanBulkAct(r.Act); err != nil {
		return r, err
	}
	if len(r.Selector.IDs) > s.settings.MaxIDs {
		e := wiki.Invalid("article_ids", "%d ids are too many; at most %d are allowed", len(r.Selector.IDs), s.settings.MaxIDs)
		e.Code, e.Remedy = wiki.CodeInvalidParameter, "send them in several requests"
		return r, e
	}
	r.Selector, err = wiki.CleanSelector(r.Selector)
	return r, err
}

// digest keys what a request names: tenant, act parameters and selector, without the op, which has a check of its own.
func (s *Service) digest(ctx context.Context, tenant uuid.UUID, r Request) ([]byte, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write(tenant[:]) // a digest takes every byte
	_, _ = mac.Write(r.Act.Canonical(r.Selector))
	return mac.Sum(nil), nil
}

// frozen is one article that a selector names, as it stands.
type frozen struct {
	id      uuid.UUID
	version *int // nil: none that the caller sees
	title   string
	status  wiki.Status
}

var (
	byIDsSQL = `select n.id, a.version, coalesce(a.title, ''), coalesce(a.status, '')
from unnest(@ids::uuid[]) with ordinality as n (id, position)
left join articles a on a.id = n.id and a.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a") + `
order by n.position`

	// Another's draft is in no listing of an agent's, so neither in a set that it names by a tag or a source.
	matching = `select a.id, a.version, a.title, a.status from articles a where a.tenant_id = @viewer_tenant and a.status = any (@statuses) and ` + postgres.VisibleTo("a") + `
  and (a.status <> 'draft' or @sees_drafts or a.created_by ->> 'principal' = @principal)`
	byRest    = ` order by a.id limit @limit`
	byTagSQL  = matching + ` and a.tags @> array[@tag::text]` + byRest
	sourceSQL = matching + ` and a.source_type = @source_type and a.source_id = @source_id` + byRest
)

// selectSet reads the set that a request names now. Ids keep the order of the request, and those that the caller cannot see
// stay in it as such; a tag or a source names what the act would change. Too many are CodeInvalid.
func (s *Service) selectSet(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request) ([]frozen, error) {
	sql := map[wiki.SelectorKind]string{wiki.SelectIDs: byIDsSQL, wiki.SelectTag: byTagSQL, wiki.SelectSource: sourceSQL}[r.Selector.Kind()]
	args := pgx.NamedArgs{
		"ids": r.Selector.IDs, "tag": r.Selector.Tag, "source_type": r.Selector.SourceType, "source_id": r.Selector.SourceID,
		"statuses": r.Act.Matches(), "limit": s.settings.MaxSelected + 1,
		"sees_drafts": actor.Role >= wiki.RoleOrchestrator, "principal": actor.Principal(),
	}
	maps.Copy(args, postgres.Viewer(actor))
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("proposals: select: %w", err)
	}
	set, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f frozen, err error) {
		return f, row.Scan(&f.id, &f.version, &f.title, &f.status)
	})
	if err != nil {
		return nil, fmt.Errorf("proposals: select: %w", err)
	}
	if len(set) > s.settings.MaxSelected {
		return nil, wiki.Invalid(string(r.Selector.Kind()), "more than %d articles match; narrow the set", s.settings.MaxSelected)
	}
	return set, nil
}

// present counts the articles of a set that are there.
func present(set []frozen) int {
	n := 0
	for _, f := range set {
		if f.version != nil {
			n++
		}
	}
	return n
}

// setDigest tells two states of a set apart: its articles and their versions.
func setDigest(set []frozen) []byte {
	h := sha256.New()
	for _, f := range set {
		version := int64(0)
		if f.version != nil {
			version = int64(*f.version)
		}
		_, _ = h.Write(f.id[:]) // a digest takes every byte
		_ = binary.Write(h, binary.BigEndian, version)
	}
	return h.Sum(nil)
}

const (
	insertSQL = `insert into proposals (id, tenant_id, kind, op, hard, add_tags, remove_tags, selector, selector_digest, reason, credential_hash, state, minted_by, minted_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, jsonb_build_object('text', $8::text), $9, $10, $11, 'pending', $12, $13, $14)`
	insertItemsSQL = `insert into proposal_items (proposal_id, tenant_id, position, article_id, version, title, outcome, done_at)
select $1, $2, n.position, n.id, n.version, n.title, case when n.version is null then 'not_found' end, case when n.version is null then $3::timestamptz end
from unnest($4::uuid[], $5::int[], $6::text[]) with ordinality as n (id, version, title, position)`
)

// freeze stores a set under a credential's hash, which may be nil. A credential that another request froze a set under at
// the same moment is an error that postgres.IsUnique tells.
func (s *Service) freeze(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, kind Kind, set []frozen, digest, credential []byte) (Proposal, error) {
	life := map[Kind]time.Duration{KindReview: s.settings.ProposalLifetime, KindToken: s.settings.TokenLifetime, KindRun: s.settings.ProposalLifetime}[kind]
	p := Proposal{
		ID: tx.NewID(), Kind: kind, Act: r.Act, Selector: r.Selector.String(), Reason: r.Reason, State: StatePending, MintedBy: actor.Stamp(),
		MintedAt: tx.Now, ExpiresAt: tx.Now.Add(life), tenant: actor.Tenant, digest: digest,
	}
	_, err := tx.Exec(ctx, insertSQL, p.ID, p.tenant, p.Kind, p.Act.Op, p.Act.Hard, p.Act.AddTags, p.Act.RemoveTags, p.Selector, p.digest,
		p.Reason, credential, p.MintedBy, p.MintedAt, p.ExpiresAt)
	if err != nil {
		return p, fmt.Errorf("proposals: freeze: %w", err)
	}
	ids, versions, titles := make([]uuid.UUID, len(set)), make([]*int, len(set)), make([]string, len(set))
	for i, f := range set {
		ids[i], versions[i], titles[i] = f.id, f.version, f.title
	}
	if _, err := tx.Exec(ctx, insertItemsSQL, p.ID, p.tenant, tx.Now, ids, versions, titles); err != nil {
		return p, fmt.Errorf("proposals: freeze the set: %w", err)
	}
	one := []Proposal{p}
	err = count(ctx, tx, p.tenant, one)
	return one[0], err
}
