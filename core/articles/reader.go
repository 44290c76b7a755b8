package articles

import (
	"context"
	"strconv"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Reader answers reads of articles, each from one snapshot.
type Reader struct {
	DB *postgres.DB
}

// Shown is an article with its edges.
type Shown struct {
	wiki.Article
	Outgoing, Incoming []Edge
}

// Get gives an article with its links, suppressed ones too.
func (r Reader) Get(ctx context.Context, actor wiki.Actor, id uuid.UUID) (shown Shown, err error) {
	err = r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if shown.Article, err = Get(ctx, tx, actor, id); err != nil {
			return err
		}
		shown.Outgoing, shown.Incoming, err = Links(ctx, tx, actor, id)
		return err
	})
	return shown, err
}

// List gives a page of articles.
func (r Reader) List(ctx context.Context, actor wiki.Actor, f Filter) (page Page, err error) {
	err = r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		page, err = List(ctx, tx, actor, f)
		return err
	})
	return page, err
}

// Versions gives an article's history, newest first, without bodies.
func (r Reader) Versions(ctx context.Context, actor wiki.Actor, id uuid.UUID) (versions []Version, err error) {
	err = r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		versions, err = Versions(ctx, tx, actor, id)
		return err
	})
	return versions, err
}

// Version gives one state of an article.
func (r Reader) Version(ctx context.Context, actor wiki.Actor, id uuid.UUID, number int) (v Version, err error) {
	err = r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		v, err = VersionOf(ctx, tx, actor, id, number)
		return err
	})
	return v, err
}

// Diff tells what changed between two versions: the names of the changed fields and a unified line diff of the bodies.
type Diff struct {
	From, To int
	Fields   []string
	Body     string
}

// Diff compares two versions of an article.
func (r Reader) Diff(ctx context.Context, actor wiki.Actor, id uuid.UUID, from, to int) (Diff, error) {
	var a, b Version
	err := r.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var err error
		if a, err = VersionOf(ctx, tx, actor, id, from); err != nil {
			return err
		}
		b, err = VersionOf(ctx, tx, actor, id, to)
		return err
	})
	if err != nil {
		return Diff{}, err
	}
	name := func(v Version) string { return "version " + strconv.Itoa(v.Number) }
	return Diff{From: from, To: to, Fields: wiki.Changed(a.content(), b.content()), Body: udiff.Unified(name(a), name(b), a.Body, b.Body)}, nil
}

// Drifts gives a page of drift events and the cursor of the next.
func (r Reader) Drifts(ctx context.Context, actor wiki.Actor, f DriftFilter) (events []Drift, next string, err error) {
	err = r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		events, next, err = ListDrift(ctx, tx, actor, f)
		return err
	})
	return events, next, err
}

// DriftCounts counts the drift events on an article, or on all of them, by state.
func (r Reader) DriftCounts(ctx context.Context, actor wiki.Actor, article uuid.UUID) (counts map[string]int, err error) {
	err = r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		counts, err = CountDrift(ctx, tx, actor, article)
		return err
	})
	return counts, err
}
