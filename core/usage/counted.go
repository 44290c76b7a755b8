package usage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

// counted is the one list of what counts as reading, for heat, for importance, for the readers shown beside a conflict and
// for whatever comes (SPEC §7). It has been widened by mistake four times elsewhere (seed, invariant 5): a search or a
// context lists what the ranking produced, and a drill opens what an index has just shown, so that to count one of them
// makes rank its own cause; what a client asserts, it can assert at will. It is a constant, with commas between, so that
// every statement that uses it is one.
const counted = kindGet

// Counts says whether a kind counts as reading.
func Counts(k Kind) bool { return slices.Contains(strings.Split(counted, ","), string(k)) }

// Windows of usage, in days. Days are UTC.
const (
	WindowDays    = 90  // by default, and the one that importance is stamped from
	MaxWindowDays = 365 // that a caller may ask for
)

// WindowStart is the midnight, UTC, at which a window of so many days before now begins.
func WindowStart(now time.Time, days int) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d-days, 0, 0, 0, 0, time.UTC)
}

// Fragments over a table alias of access_events. They hold no input.
const (
	readersSQL = `count(distinct coalesce({e}.reader, {e}.principal))`
	daysSQL    = `count(distinct ({e}.at at time zone 'UTC')::date)`
	countedSQL = `{e}.kind = any (string_to_array('` + counted + `', ','))`
)

// CountedSQL is true for the events that count as reading.
func CountedSQL(alias string) string { return strings.ReplaceAll(countedSQL, "{e}", alias) }

// ReadersSQL counts the distinct readers in a group of events, DaysSQL the distinct days on which any of them read. Neither
// counts events: a loop makes as many of those as it likes.
func ReadersSQL(alias string) string { return strings.ReplaceAll(readersSQL, "{e}", alias) }

// DaysSQL is described at ReadersSQL.
func DaysSQL(alias string) string { return strings.ReplaceAll(daysSQL, "{e}", alias) }

// Importance (seed, "Importance ranks USAGE"; facts §4.4).
const (
	// SoloReaderDays is how many read days one reader can give an article: it takes six to fill the band of 30.
	SoloReaderDays = 5
	// MaxStamped is how many articles one run stamps, the most read first.
	MaxStamped = 10_000
)

// ReadDays is what importance ranks an article by.
type ReadDays struct {
	Article uuid.UUID
	Days    int
}

var readDaysSQL = `select e.article_id, least(` + DaysSQL("e") + `, @solo::int * ` + ReadersSQL("e") + `)::int as days
	from access_events e join articles a on a.id = e.article_id and a.tenant_id = e.tenant_id
	where e.tenant_id = @tenant and ` + CountedSQL("e") + ` and e.at >= @since
	group by e.article_id order by days desc, e.article_id limit @most`

// MeasureReadDays gives the read days of a tenant's own articles within the default window: distinct days, capped by how
// many readers there were. An article that is absent was not read. System canon is left out, since one tenant's readings may
// not rank it for the others. Call it in a heavy read.
func MeasureReadDays(ctx context.Context, tx postgres.Tx, tenant uuid.UUID) ([]ReadDays, error) {
	rows, err := tx.Query(ctx, readDaysSQL, pgx.NamedArgs{
		"tenant": tenant, "since": WindowStart(tx.Now, WindowDays), "solo": SoloReaderDays, "most": MaxStamped,
	})
	if err != nil {
		return nil, fmt.Errorf("usage: measure read days: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ReadDays])
	if err != nil {
		return nil, fmt.Errorf("usage: measure read days: %w", err)
	}
	return found, nil
}
