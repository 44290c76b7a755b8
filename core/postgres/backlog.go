package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// Backlog is work that waits, of all tenants together: a number and an age, for the operator's metrics.
type Backlog struct {
	Waiting int
	Oldest  time.Time // since when the one waits that has waited longest; zero = none waits
	At      time.Time // when this was so
}

// OldestAge is how long the one has waited that waits longest; 0 when none does.
func (b Backlog) OldestAge() time.Duration {
	if b.Oldest.IsZero() {
		return 0
	}
	return b.At.Sub(b.Oldest)
}

// ScanBacklog reads a row that gives the number of what waits, and since when the oldest does.
func ScanBacklog(tx Tx, row pgx.Row) (Backlog, error) {
	b := Backlog{At: tx.Now}
	var oldest *time.Time
	if err := row.Scan(&b.Waiting, &oldest); err != nil {
		return Backlog{}, err
	}
	if oldest != nil {
		b.Oldest = *oldest
	}
	return b, nil
}
