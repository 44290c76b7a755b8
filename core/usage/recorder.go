package usage

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// recordTimeout bounds what a reader waits for the record of its reading.
const recordTimeout = time.Second

// Losing the last records in a crash is no loss, and waiting for the disk would cost more than the read.
const lazySQL = `set local synchronous_commit = off`

// Recorder records reads after they have been answered from the database. A record that fails is logged and changes no
// answer.
type Recorder struct {
	DB  *postgres.DB
	Log *slog.Logger // default slog.Default()
}

// Note records articles reached, in a transaction of its own.
func (r Recorder) Note(ctx context.Context, actor wiki.Actor, kind Kind, ids []uuid.UUID, detail map[string]any) {
	if len(ids) == 0 || actor.Tenant == uuid.Nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := r.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, lazySQL); err != nil {
			return err
		}
		return Record(ctx, tx, actor, kind, ids, detail)
	})
	if err != nil {
		log := r.Log
		if log == nil {
			log = slog.Default()
		}
		log.WarnContext(ctx, "a read could not be recorded", "kind", string(kind), "articles", len(ids), "error", err)
	}
}
