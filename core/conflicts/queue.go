package conflicts

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// Sort orders the queue.
type Sort string

// Sorts.
const (
	SortImpact Sort = "impact" // heat x similarity x age, the most pressing first
	SortNewest Sort = "newest"
	SortOldest Sort = "oldest"
)

// Limits of a page of the queue.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// MaxAgeHours bounds the ages that a filter may ask for: ten years.
const MaxAgeHours = 10 * 365 * 24

// Filter narrows and orders the queue. Zero fields do not narrow.
type Filter struct {
	State         wiki.ConflictState // default open; settled has the closed pairs too
	Kind          string             // system or asserted
	Category      wiki.Category      // of either article
	MinSimilarity float64            // 0 to 1
	MaxSimilarity float64            // 0 to 1; 0 = no bound
	By            string             // the principal that raised the flag
	Article       uuid.UUID          // either article; zero = any
	MinAgeHours   int                // since the flag was raised, at most MaxAgeHours
	MaxAgeHours   int                // likewise; 0 = no bound
	Sort          Sort               // default impact
	Limit         int                // default DefaultLimit, at most MaxLimit
	Cursor        string             // Next of the page before, with the same filter
}

// Page is a part of the queue.
type Page struct {
	Items  []Conflict
	Next   string         // cursor of the next page; empty = this is the last
	Counts map[string]int // pairs by state, under the same filter but for the state
}

// The parts of a queue query. Each is a constant: no text of a caller's gets in.
var (
	conflictColumns = `p.first_id, p.second_id, p.state, p.closed, p.impact,
  f.id, f.system, f.similarity, f.differing, f.evidence, f.flagged_by, f.flagged_at, f.again, f.lapsed, f.lapsed_at, ` + sideColumns("a") + `, ` + sideColumns("b") + `,
  c.claimed_by, c.expires_at, v.id is not null`

	fromPairs = `
from conflict_pairs p
join articles a on a.id = p.first_id and a.tenant_id = p.tenant_id
join articles b on b.id = p.second_id and b.tenant_id = p.tenant_id
join conflict_flags f on f.id = p.flag_id and f.tenant_id = p.tenant_id
left join conflict_verdicts v on v.id = p.verdict_id and v.tenant_id = p.tenant_id
left join conflict_claims c on c.tenant_id = p.tenant_id and c.first_id = p.first_id and c.second_id = p.second_id and c.expires_at > @now
where p.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a") + ` and ` + postgres.VisibleTo("b")

	// Of a filter, what the pair itself tells, and what its articles do.
	filteredPairs = `
  and (@kind = '' or p.system = (@kind = 'system'))
  and p.similarity >= @min_similarity::float8 and (@max_similarity::float8 = 0 or p.similarity <= @max_similarity::float8) and (@by = '' or p.flagged_by = @by)
  and p.flagged_at between @flagged_from and @flagged_to and (@article::uuid is null or @article in (p.first_id, p.second_id))`
	filtered = filteredPairs + ` and (@category = '' or @category in (a.category, b.category))`

	inState = map[wiki.ConflictState]string{
		wiki.ConflictOpen:    ` and p.state = 'open' and p.closed = ''`,
		wiki.ConflictJudged:  ` and p.state = 'judged' and p.closed = ''`,
		wiki.ConflictSettled: ` and (p.state = 'settled' or p.closed <> '')`,
	}

	after = map[Sort]string{
		SortImpact: ` and (@from_start or (p.impact, p.first_id, p.second_id) < (@impact, @first_id, @second_id))`,
		SortNewest: ` and (@from_start or (p.flagged_at, p.first_id, p.second_id) < (@at, @first_id, @second_id))`,
		SortOldest: ` and (@from_start or (p.flagged_at, p.first_id, p.second_id) > (@at, @first_id, @second_id))`,
	}

	ordered = map[Sort]string{
		SortImpact: ` order by p.impact desc, p.first_id desc, p.second_id desc limit @limit`,
		SortNewest: ` order by p.flagged_at desc, p.first_id desc, p.second_id desc limit @limit`,
		SortOldest: ` order by p.flagged_at, p.first_id, p.second_id limit @limit`,
	}

	allPairs = ` from conflict_pairs p where p.tenant_id = @viewer_tenant` + filteredPairs

	seenPairs = ` from conflict_pairs p
join articles a on a.id = p.first_id and a.tenant_id = p.tenant_id
join articles b on b.id = p.second_id and b.tenant_id = p.tenant_id`

	mayBeSeen = ` where p.tenant_id = @viewer_tenant and ` + postgres.VisibleTo("a") + ` and ` + postgres.VisibleTo("b") + filtered

	countSQL = `select case when p.closed <> '' then 'settled' else p.state end, count(*)` + seenPairs + mayBeSeen + ` group by 1`

	countAllSQL = `select case when p.closed <> '' then 'settled' else p.state end, count(*)` + allPairs + ` group by 1`

	oneSQL = `select ` + conflictColumns + fromPairs + ` and p.first_id = @first_id and p.second_id = @second_id`
)

// sideColumns reads an article without moving its body.
func sideColumns(alias string) string {
	return fmt.Sprintf(`%[1]s.title, %[1]s.category, %[1]s.status, %[1]s.version, %[1]s.created_by ->> 'principal', %[1]s.inserted_at,
  %[1]s.content_changed_at, octet_length(%[1]s.body),
  (select %[2]s from access_events e where e.tenant_id = p.tenant_id and e.article_id = %[1]s.id and %[3]s and e.at > @heat_from)`,
		alias, usage.ReadersSQL("e"), usage.CountedSQL("e"))
}

// Queue gives a page of the conflicts that the actor can see both articles of.
func (s Service) Queue(ctx context.Context, actor wiki.Actor, f Filter) (Page, error) {
	place, err := f.validate()
	if err != nil {
		return Page{}, err
	}
	var page Page
	err = s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		own := f.args(tx.Now, place)
		rows, err := tx.Query(ctx, `select `+conflictColumns+fromPairs+filtered+inState[f.State]+after[f.Sort]+ordered[f.Sort], args(actor, own))
		if err != nil {
			return fmt.Errorf("conflicts: read the queue: %w", err)
		}
		found, err := pgx.CollectRows(rows, scanConflict(actor))
		if err != nil {
			return fmt.Errorf("conflicts: read the queue: %w", err)
		}
		if len(found) > f.Limit {
			found = found[:f.Limit]
			page.Next = f.cursor(found[f.Limit-1])
		}
		if page.Items, err = withVerdicts(ctx, tx, actor, found); err != nil {
			return err
		}
		page.Counts, err = f.count(ctx, tx, actor, own)
		return err
	})
	if err != nil {
		return Page{}, err
	}
	return page, nil
}

func (f Filter) args(now time.Time, p place) pgx.NamedArgs {
	from, to := f.flagged(now)
	var article *uuid.UUID
	if f.Article != uuid.Nil {
		article = &f.Article
	}
	return pgx.NamedArgs{
		"kind": f.Kind, "category": string(f.Category), "min_similarity": f.MinSimilarity, "max_similarity": f.MaxSimilarity, "by": f.By,
		"flagged_from": from, "flagged_to": to, "article": article,
		"now": now, "heat_from": now.Add(-flags.HeatWindow), "limit": f.Limit + 1, // one more tells whether there is a next page
		"from_start": p.start, "impact": p.impact, "at": p.at, "first_id": p.pair.First, "second_id": p.pair.Second,
	}
}

// flagged is the time within which the age asked for puts the flag. Without an age the bounds are beyond every flag, so that
// the query is one and an index can serve it.
func (f Filter) flagged(now time.Time) (from, to time.Time) {
	to = now.Add(MaxAgeHours * time.Hour) // a flag of a server whose clock is ahead is young
	if f.MinAgeHours > 0 {
		to = now.Add(-time.Duration(f.MinAgeHours) * time.Hour)
	}
	if f.MaxAgeHours > 0 {
		from = now.Add(-time.Duration(f.MaxAgeHours) * time.Hour)
	}
	return from, to
}

// needsNoArticle says whether the pairs alone tell which of them the filter means: a user sees every pair of the tenant.
func (f Filter) needsNoArticle(actor wiki.Actor) bool {
	return actor.Role >= wiki.RoleUser && f.Category == ""
}

func (f Filter) count(ctx context.Context, tx postgres.Tx, actor wiki.Actor, own pgx.NamedArgs) (map[string]int, error) {
	sql := countSQL
	if f.needsNoArticle(actor) {
		sql = countAllSQL
	}
	rows, err := tx.Query(ctx, sql, args(actor, own))
	if err != nil {
		return nil, fmt.Errorf("conflicts: count: %w", err)
	}
	counts := map[string]int{string(wiki.ConflictOpen): 0, string(wiki.ConflictJudged): 0, string(wiki.ConflictSettled): 0}
	var state string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { counts[state] = n; return nil }); err != nil {
		return nil, fmt.Errorf("conflicts: count: %w", err)
	}
	return counts, nil
}

// found is a row of the queue with what its cursor needs.
type found struct {
	Conflict
	impact  float64
	verdict bool
}

func scanConflict(actor wiki.Actor) pgx.RowToFunc[found] {
	return func(row pgx.CollectableRow) (found, error) {
		var (
			c       found
			claimed *wiki.Stamp
			expires *time.Time
			f       = &c.Flag
		)
		err := row.Scan(append(append([]any{
			&c.Pair.First, &c.Pair.Second, &c.State, &c.Closed, &c.impact,
			&f.ID, &f.System, &f.Similarity, &f.Differing, &f.Evidence, &f.By, &f.FlaggedAt, &f.Again, &f.Lapsed, &f.LapsedAt,
		},
			append(c.First.targets(), c.Second.targets()...)...), &claimed, &expires, &c.verdict)...)
		if err != nil {
			return c, err
		}
		f.First, f.Second = c.Pair.First, c.Pair.Second
		c.First.ID, c.Second.ID = c.Pair.First, c.Pair.Second
		if claimed != nil {
			c.Claim = &Claim{By: claimed.Principal, Mine: claimed.Principal == actor.Principal(), ExpiresAt: *expires}
		}
		return c, nil
	}
}

func (s *Side) targets() []any {
	return []any{&s.Title, &s.Category, &s.Status, &s.Version, &s.CreatedBy, &s.InsertedAt, &s.ChangedAt, &s.BodyBytes, &s.Reads}
}

var shownVerdictsSQL = `select ` + flags.VerdictColumns + ` from conflict_pairs p join conflict_verdicts v on v.id = p.verdict_id and v.tenant_id = p.tenant_id
where p.tenant_id = @viewer_tenant and v.first_id = any (@firsts) and v.second_id = any (@seconds) and ` + shownToSQL

// withVerdicts adds the verdict that each pair shows.
func withVerdicts(ctx context.Context, tx postgres.Tx, actor wiki.Actor, rows []found) ([]Conflict, error) {
	var firsts, seconds []uuid.UUID
	items := make([]Conflict, len(rows))
	at := map[wiki.Pair]*Conflict{}
	for i, row := range rows {
		items[i] = row.Conflict
		if row.verdict {
			at[row.Pair] = &items[i]
			items[i].Withheld = true // until it is found below
			firsts, seconds = append(firsts, row.Pair.First), append(seconds, row.Pair.Second)
		}
	}
	if len(at) == 0 {
		return items, nil
	}
	result, err := tx.Query(ctx, shownVerdictsSQL, args(actor, pgx.NamedArgs{"me": actor.Principal(), "firsts": firsts, "seconds": seconds}))
	if err != nil {
		return nil, fmt.Errorf("conflicts: read verdicts: %w", err)
	}
	verdicts, err := pgx.CollectRows(result, flags.ScanVerdict)
	if err != nil {
		return nil, fmt.Errorf("conflicts: read verdicts: %w", err)
	}
	for _, v := range verdicts {
		if c := at[wiki.Pair{First: v.First, Second: v.Second}]; c != nil {
			c.Verdict, c.Withheld = describe(actor, v, c.First.Title, c.Second.Title), false
		}
	}
	return items, nil
}

func describe(actor wiki.Actor, v wiki.Verdict, firstTitle, secondTitle string) *Verdict {
	undo, why := undoOf(actor, v)
	return &Verdict{Verdict: v, FirstTitle: firstTitle, SecondTitle: secondTitle, Undo: undo, UndoWhy: why}
}
