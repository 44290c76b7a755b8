package search

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// Limits of the heat index.
const (
	DefaultHeatLimit = 20
	MaxHeatLimit     = 100
)

// HeatQuery asks which articles are read. It takes no text: what it misses has nothing to do with what a query misses.
type HeatQuery struct {
	Since  time.Time // its UTC day begins the window; zero = usage.WindowDays ago
	Filter wiki.Filter
	Limit  int // 0 = DefaultHeatLimit
}

// Hot is an article with who read it in the window.
type Hot struct {
	Stub
	Readers int // distinct agents, or lines of keys
	Days    int // distinct UTC days
}

// HeatIndex is the most read articles: by readers, then by days, then by id.
type HeatIndex struct {
	Articles []Hot
	Since    time.Time // the UTC midnight that the window begins at
	Until    time.Time
}

// Ties are broken by days, never by how often: a loop makes as many events as it likes (seed, invariant 5, #567).
var heatSQL = `select a.id, a.title, a.category, left(a.body, @lead), a.curated_at is not null or a.tenant_id is null, h.readers::int, h.days::int from (
	select e.article_id, ` + usage.ReadersSQL("e") + ` as readers, ` + usage.DaysSQL("e") + ` as days from access_events e
	where e.tenant_id = @viewer_tenant and ` + usage.CountedSQL("e") + ` and e.at >= @since group by e.article_id
) h join articles a on a.id = h.article_id where ` + postgres.VisibleTo("a") + ` and ` + postgres.Ranked("a") + ` and ` + postgres.Filtered("a") + `
order by h.readers desc, h.days desc, a.id limit @limit`

// Heat gives the most read articles, system canon among them. Only what counts as reading is counted (usage.Counts), of
// both alike: a get. Errors: CodeInvalid on "since" and "limit".
func (s *Service) Heat(ctx context.Context, actor wiki.Actor, q HeatQuery) (HeatIndex, error) {
	if q.Limit == 0 {
		q.Limit = DefaultHeatLimit
	}
	if q.Limit < 1 || q.Limit > MaxHeatLimit {
		return HeatIndex{}, wiki.Invalid("limit", "limit must be between 1 and %d", MaxHeatLimit)
	}
	filter, err := checkFilter(q.Filter)
	if err != nil {
		return HeatIndex{}, err
	}
	var index HeatIndex
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		index = HeatIndex{Since: usage.WindowStart(tx.Now, usage.WindowDays), Until: tx.Now}
		if !q.Since.IsZero() {
			index.Since = usage.WindowStart(q.Since, 0)
		}
		if index.Since.After(tx.Now) || index.Since.Before(usage.WindowStart(tx.Now, usage.MaxWindowDays)) {
			return wiki.Invalid("since", "since must be today or one of the %d days before", usage.MaxWindowDays)
		}
		args := postgres.AddFilter(postgres.Viewer(actor), filter)
		args["since"], args["limit"], args["lead"] = index.Since, q.Limit, summaryRunes
		rows, err := tx.Query(ctx, heatSQL, args)
		if err != nil {
			return fmt.Errorf("read the heat: %w", err)
		}
		index.Articles, err = pgx.CollectRows(rows, scanHot)
		return err
	})
	return index, err
}

func scanHot(row pgx.CollectableRow) (h Hot, err error) {
	var body string
	if err := row.Scan(&h.ID, &h.Title, &h.Category, &body, &h.Curated, &h.Readers, &h.Days); err != nil {
		return h, fmt.Errorf("read the heat: %w", err)
	}
	h.Summary = wiki.Summary(body)
	return h, nil
}
