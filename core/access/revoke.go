package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// RevokeDispatch ends a dispatch, all that descend from it, and their keys, at once. Below role user, and for a dispatch, only one's own line
// can be ended; any other dispatch is not found.
func (s *Service) RevokeDispatch(ctx context.Context, actor wiki.Actor, id uuid.UUID) error {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return err
	}
	return s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if err := serialise(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		var lineage []uuid.UUID
		err := tx.QueryRow(ctx, findDispatchSQL, actor.Tenant, id).Scan(&lineage)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("access: read the dispatch: %w", err)
		}
		if err != nil || ((actor.Role < wiki.RoleUser || actor.Dispatched()) && !slices.Contains(lineage, self(actor))) {
			return wiki.NotFound()
		}
		ended, err := revokeTrees(ctx, tx, actor.Tenant, []uuid.UUID{id})
		if err != nil || ended == 0 {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: "dispatch.revoke", Subject: id, Detail: map[string]any{"dispatches": ended}})
	})
}

// self is the actor's own place in the lineages: its dispatch, or its root key's origin.
func self(actor wiki.Actor) uuid.UUID {
	if n := len(actor.Lineage); n > 0 {
		return actor.Lineage[n-1]
	}
	return actor.Key
}

func revokeTrees(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, roots []uuid.UUID) (int64, error) {
	tag, err := tx.Exec(ctx, revokeTreeSQL, tenant, roots, tx.Now)
	if err != nil {
		return 0, fmt.Errorf("access: revoke dispatches: %w", err)
	}
	if _, err := tx.Exec(ctx, revokeTreeKeysSQL, tenant, roots, tx.Now); err != nil {
		return 0, fmt.Errorf("access: revoke the dispatches' keys: %w", err)
	}
	return tag.RowsAffected(), nil
}

func mintedBy(ctx context.Context, tx postgres.Tx, tenant, key uuid.UUID) ([]uuid.UUID, error) {
	var roots []uuid.UUID
	if err := tx.QueryRow(ctx, mintedBySQL, tenant, key).Scan(&roots); err != nil {
		return nil, fmt.Errorf("access: find the key's dispatches: %w", err)
	}
	return roots, nil
}

func revokeMintedBy(ctx context.Context, tx postgres.Tx, tenant, key uuid.UUID) (int64, error) {
	roots, err := mintedBy(ctx, tx, tenant, key)
	if err != nil || len(roots) == 0 {
		return 0, err
	}
	return revokeTrees(ctx, tx, tenant, roots)
}

// shortenMintedBy keeps the rule that no child outlives its parent when the parent's end is moved forward.
func shortenMintedBy(ctx context.Context, tx postgres.Tx, tenant, key uuid.UUID, end time.Time) error {
	roots, err := mintedBy(ctx, tx, tenant, key)
	if err != nil || len(roots) == 0 {
		return err
	}
	for _, sql := range []string{shortenTreeSQL, shortenKeysSQL} {
		if _, err := tx.Exec(ctx, sql, tenant, roots, end); err != nil {
			return fmt.Errorf("access: shorten the key's dispatches: %w", err)
		}
	}
	return nil
}
