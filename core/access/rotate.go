package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// RotateKey makes a successor of the same name, role, agent and length of life. The old key lives on for the grace (nil =
// the setting's) so that its holder can change over, and so do the dispatches that it minted, at most. The two are one line:
// whoever rotates cannot judge its own assertion under the new key. A dispatch's key is not rotated: mint another dispatch;
// nor does a dispatch rotate a key (CodeForbidden), whose secret it would learn.
func (s *Service) RotateKey(ctx context.Context, actor wiki.Actor, id uuid.UUID, grace *time.Duration) (Key, error) {
	if err := keepsKeys(actor); err != nil {
		return Key{}, err
	}
	wait := s.settings.RotationGrace
	if grace != nil {
		wait = *grace
	}
	if wait < 0 || wait > maxRotationGrace {
		return Key{}, wiki.Invalid("grace_hours", "grace_hours must be between 0 and %d", int(maxRotationGrace.Hours()))
	}
	var next Key
	err := s.within(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if err := serialise(ctx, tx, actor.Tenant); err != nil {
			return err
		}
		old, err := lockKey(ctx, tx, actor.Tenant, id)
		if err != nil {
			return err
		}
		if err := rotatable(old, tx.Now); err != nil {
			return err
		}
		next = Key{ID: tx.NewID(), Name: old.Name, Role: old.Role, AgentID: old.AgentID, Origin: old.Origin, InsertedAt: tx.Now}
		if old.ExpiresAt != nil {
			next.ExpiresAt = at(tx.Now, old.ExpiresAt.Sub(old.InsertedAt))
		}
		if err := insertKey(ctx, tx, actor.Tenant, &next); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, retireSQL, old.ID, next.ID, tx.Now.Add(wait)); err != nil {
			return fmt.Errorf("access: retire the key: %w", err)
		}
		if err := shortenMintedBy(ctx, tx, actor.Tenant, old.ID, tx.Now.Add(wait)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, actor, audit.Entry{
			Act: "key.rotate", Subject: old.ID,
			Detail: map[string]any{"successor": next.ID, "grace_seconds": int(wait.Seconds())},
		})
	})
	if err != nil {
		return Key{}, err
	}
	return next, nil
}

func rotatable(k Key, now time.Time) error {
	switch {
	case k.Dispatch != nil:
		e := wiki.Errorf(wiki.CodeTransition, "a dispatch's key is not rotated")
		e.Remedy = "mint another dispatch"
		return e
	case k.RevokedAt != nil:
		return wiki.Errorf(wiki.CodeTransition, "the key is revoked")
	case k.Successor != nil:
		return wiki.Errorf(wiki.CodeTransition, "the key was rotated already")
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return wiki.Errorf(wiki.CodeTransition, "the key has expired")
	}
	return nil
}
