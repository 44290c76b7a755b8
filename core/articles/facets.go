package articles

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// MaxFacets bounds how many tags one answer counts; DefaultFacets is how many it does when not told.
const (
	DefaultFacets = 100
	MaxFacets     = 1000
)

// Facet is a tag and how many of the articles that match carry it.
type Facet struct {
	Tag   string
	Count int
}

// Facets are the tags of the articles that match a filter, the most common first.
type Facets struct {
	Tags      []Facet
	Total     int  // articles that match
	Truncated bool // there are more tags
}

var facetsSQL = `select t.tag, count(*)::int from (select a.tags` + matching + `) m cross join unnest(m.tags) as t (tag)
where starts_with(t.tag, @prefix) group by t.tag order by 2 desc, t.tag limit @limit`

// Facets counts tags that begin with a prefix, at most most of them (0 = DefaultFacets). Of the filter, limit, offset and
// cursor are not read. Errors as List, and CodeInvalid on "tag_prefix".
func (r Reader) Facets(ctx context.Context, actor wiki.Actor, f Filter, prefix string, most int) (Facets, error) {
	f.Limit, f.Offset, f.Cursor = 0, 0, ""
	args, err := f.args(actor)
	if err != nil {
		return Facets{}, err
	}
	if prefix, err = wiki.CleanText("tag_prefix", prefix); err != nil {
		return Facets{}, err
	}
	if most == 0 {
		most = DefaultFacets
	}
	if most < 1 || most > MaxFacets {
		return Facets{}, wiki.Invalid("limit", "limit must be between 1 and %d", MaxFacets)
	}
	args["prefix"], args["limit"] = prefix, most+1 // one more tells whether there are more
	found := Facets{}
	err = r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := tx.QueryRow(ctx, countSQL, args).Scan(&found.Total); err != nil {
			return fmt.Errorf("articles: count: %w", err)
		}
		rows, err := tx.Query(ctx, facetsSQL, args)
		found.Tags, err = some(rows, err, "facets", pgx.RowToStructByPos[Facet])
		return err
	})
	if len(found.Tags) > most {
		found.Tags, found.Truncated = found.Tags[:most], true
	}
	return found, err
}

// Count gives how many articles match a filter; limit, offset and cursor are not read. Errors as List.
func (r Reader) Count(ctx context.Context, actor wiki.Actor, f Filter) (n int, err error) {
	f.Limit, f.Offset, f.Cursor = 0, 0, ""
	args, err := f.args(actor)
	if err != nil {
		return 0, err
	}
	err = r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := tx.QueryRow(ctx, countSQL, args).Scan(&n); err != nil {
			return fmt.Errorf("articles: count: %w", err)
		}
		return nil
	})
	return n, err
}
