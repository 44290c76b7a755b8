package articles

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// MaxIndex is how many entries one page of the index has, by default too (facts §3.4).
const MaxIndex = 1000

// IndexQuery asks for the table of contents.
type IndexQuery struct {
	Filter wiki.Filter
	Limit  int // 0 = MaxIndex
	Offset int
}

// Index is the table of contents: what a ranked read may offer, by category and title. The articles have no body.
type Index struct {
	Articles   []wiki.Article
	Total      int            // entries in all
	Categories map[string]int // entries in all, by category
}

var (
	indexed         = ` from articles a where ` + visible + ` and ` + postgres.Ranked("a") + ` and ` + postgres.Filtered("a")
	indexSQL        = `select ` + head + `''` + tail + indexed + ` order by a.category, a.title, a.id limit @limit offset @offset`
	indexByCategory = `select a.category, count(*)::int` + indexed + ` group by 1`
)

// Index lists published articles, system canon among them. Errors: CodeInvalid on "limit" or "offset".
func (r Reader) Index(ctx context.Context, actor wiki.Actor, q IndexQuery) (Index, error) {
	if q.Limit == 0 {
		q.Limit = MaxIndex
	}
	if q.Limit < 1 || q.Limit > MaxIndex {
		return Index{}, wiki.Invalid("limit", "limit must be between 1 and %d", MaxIndex)
	}
	if q.Offset < 0 || q.Offset > maxListOffset {
		return Index{}, wiki.Invalid("offset", "offset must be between 0 and %d", maxListOffset)
	}
	found := Index{Categories: map[string]int{}}
	args := postgres.AddFilter(with(actor, pgx.NamedArgs{"limit": q.Limit, "offset": q.Offset}), q.Filter)
	err := r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, indexByCategory, args)
		if err != nil {
			return fmt.Errorf("articles: count the index: %w", err)
		}
		var category string
		var n int
		if _, err := pgx.ForEachRow(rows, []any{&category, &n}, func() error {
			found.Categories[category] = n
			found.Total += n
			return nil
		}); err != nil {
			return fmt.Errorf("articles: count the index: %w", err)
		}
		rows, err = tx.Query(ctx, indexSQL, args)
		found.Articles, err = some(rows, err, "index", scanArticle)
		return err
	})
	return found, err
}
