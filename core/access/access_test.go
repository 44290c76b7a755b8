package access_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// clock is a time that a test moves.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time       { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }
func seconds(n int) time.Duration     { return time.Duration(n) * time.Second }

type world struct {
	*access.Service
	db    *postgres.DB
	clock *clock
	user  wiki.Actor // a key of role user in the tenant "team"
}

func newWorld(t *testing.T, settings access.Settings) world {
	c := &clock{}
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: c.now})
	s := access.New(db, settings)
	tenant, err := s.CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "team", Name: "Team"})
	require.NoError(t, err)
	key, err := s.CreateKey(t.Context(), access.Operator(tenant.ID), access.NewKey{Name: "admin", Role: wiki.RoleUser})
	require.NoError(t, err)
	w := world{Service: s, db: db, clock: c}
	w.user = w.resolve(t, key.Secret).Actor
	return w
}

func (w world) resolve(t *testing.T, secret string) access.Identity {
	id, err := w.Resolve(t.Context(), secret)
	require.NoError(t, err)
	return id
}

func (w world) refuses(t *testing.T, secret string, code wiki.Code) {
	t.Helper()
	_, err := w.Resolve(t.Context(), secret)
	require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
}

func (w world) key(t *testing.T, role wiki.Role, agent string, life time.Duration) (access.Key, wiki.Actor) {
	t.Helper()
	k, err := w.CreateKey(t.Context(), w.user, access.NewKey{Name: "k", Role: role, AgentID: agent, Lifetime: life})
	require.NoError(t, err)
	return k, w.resolve(t, k.Secret).Actor
}

func TestKeyIsShownOnceAndStoredAsAHash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	k, actor := w.key(t, wiki.RoleAgent, "scribe", 0)
	require.Regexp(t, `^wk_[A-Za-z0-9_-]{40}$`, k.Secret)
	require.Equal(t, k.Secret[:8], k.Prefix)
	require.Equal(t, wiki.Actor{Tenant: w.user.Tenant, Key: k.ID, Agent: "scribe", Role: wiki.RoleAgent, Lineage: []uuid.UUID{k.ID}}, actor)
	id := w.resolve(t, k.Secret)
	require.Equal(t, "team", id.TenantSlug)
	require.Equal(t, "k", id.KeyName)
	keys, err := w.ListKeys(t.Context(), w.user)
	require.NoError(t, err)
	require.Len(t, keys, 2)
	for _, listed := range keys {
		require.Empty(t, listed.Secret)
		require.NotNil(t, listed.LastUsedAt)
	}
	require.NoError(t, w.db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		var n int
		require.NoError(t, tx.QueryRow(ctx, `select count(*) from api_keys k where row(k.*)::text like '%' || $1 || '%'`, k.Secret[8:]).Scan(&n))
		require.Zero(t, n, "the text of a key is nowhere")
		require.NoError(t, tx.QueryRow(ctx, `select count(*) from audit_log a where row(a.*)::text like '%' || $1 || '%'`, k.Secret[8:]).Scan(&n))
		require.Zero(t, n)
		return nil
	}))
}

func TestResolveTellsWhyAKeyIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	for _, junk := range []string{"", "wk_", "wk_short", "lc_0123456789012345678901234567890123456789", "wk_012345678901234567890123456789012345678\x00"} {
		w.refuses(t, junk, wiki.CodeUnauthorized)
	}
	w.refuses(t, "wk_0123456789012345678901234567890123456789", wiki.CodeUnauthorized)

	short, _ := w.key(t, wiki.RoleAgent, "a", time.Minute)
	w.clock.pass(time.Minute)
	w.refuses(t, short.Secret, wiki.CodeKeyExpired)

	revoked, _ := w.key(t, wiki.RoleAgent, "b", 0)
	require.NoError(t, w.RevokeKey(t.Context(), w.user, revoked.ID))
	require.NoError(t, w.RevokeKey(t.Context(), w.user, revoked.ID), "again changes nothing")
	w.refuses(t, revoked.Secret, wiki.CodeUnauthorized)

	live, _ := w.key(t, wiki.RoleAgent, "c", 0)
	require.NoError(t, w.SuspendTenant(t.Context(), access.Operator(uuid.Nil), w.user.Tenant, true))
	w.refuses(t, live.Secret, wiki.CodeTenantSuspended)
	require.NoError(t, w.SuspendTenant(t.Context(), access.Operator(uuid.Nil), w.user.Tenant, false))
	w.resolve(t, live.Secret)
}

func TestKeysAreMadeByUsersOfTheTenantWithinItsLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{MaxKeys: 3})
	_, agent := w.key(t, wiki.RoleAgent, "scribe", 0)
	refuse := func(who wiki.Actor, in access.NewKey, code wiki.Code) {
		t.Helper()
		_, err := w.CreateKey(t.Context(), who, in)
		require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
	}
	refuse(agent, access.NewKey{Name: "x", Role: wiki.RoleAgent}, wiki.CodeForbidden)
	refuse(w.user, access.NewKey{Name: "x", Role: wiki.RoleSuperadmin}, wiki.CodeForbidden)
	refuse(access.Operator(w.user.Tenant), access.NewKey{Name: "x", Role: wiki.RoleSuperadmin}, wiki.CodeInvalid)
	refuse(access.Operator(uuid.Nil), access.NewKey{Name: "x", Role: wiki.RoleUser}, wiki.CodeInvalid)
	refuse(w.user, access.NewKey{Name: " ", Role: wiki.RoleAgent}, wiki.CodeInvalid)
	refuse(w.user, access.NewKey{Name: "a\x1b[2J", Role: wiki.RoleAgent}, wiki.CodeInvalid)
	refuse(w.user, access.NewKey{Name: "x", Role: wiki.RoleAgent, AgentID: "scribe"}, wiki.CodeInvalid)
	refuse(w.user, access.NewKey{Name: "x", Role: wiki.RoleAgent, Lifetime: -1}, wiki.CodeInvalid)

	// Many at once still stop at the limit.
	var wg sync.WaitGroup
	var made atomic.Int32
	for range 6 {
		wg.Go(func() {
			if _, err := w.CreateKey(t.Context(), w.user, access.NewKey{Name: "x", Role: wiki.RoleAgent}); err == nil {
				made.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, made.Load(), "the admin's, the scribe's and one more")

	root, err := w.CreateKey(t.Context(), access.Operator(uuid.Nil), access.NewKey{Name: "root", Role: wiki.RoleSuperadmin})
	require.NoError(t, err)
	id := w.resolve(t, root.Secret)
	require.Equal(t, wiki.RoleSuperadmin, id.Actor.Role)
	require.Equal(t, uuid.Nil, id.Actor.Tenant)
	_, err = w.CreateTenant(t.Context(), id.Actor, access.NewTenant{Slug: "team", Name: "Again"})
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
	_, err = w.CreateTenant(t.Context(), w.user, access.NewTenant{Slug: "mine", Name: "Mine"})
	require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err))
}

func TestRotatedKeyLivesOnForTheGraceAndIsTheSameLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	old, before := w.key(t, wiki.RoleOrchestrator, "", 48*time.Hour)
	child, err := w.MintDispatch(t.Context(), before, access.NewDispatch{Role: wiki.RoleAgent, Lifetime: seconds(14_400)})
	require.NoError(t, err)
	next, err := w.RotateKey(t.Context(), w.user, old.ID, nil)
	require.NoError(t, err)
	require.WithinDuration(t, w.clock.now().Add(48*time.Hour), *next.ExpiresAt, time.Minute)
	after := w.resolve(t, next.Secret).Actor
	require.NotEqual(t, before.Principal(), after.Principal())
	require.True(t, wiki.SameLine(before.Stamp(), after.Stamp()))
	require.True(t, wiki.SameLine(after.Stamp(), w.resolve(t, child.Secret).Actor.Stamp()), "the old key's child is the new key's too")
	w.resolve(t, old.Secret)
	_, err = w.RotateKey(t.Context(), w.user, old.ID, nil)
	require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err), "one successor")
	w.clock.pass(24 * time.Hour)
	w.refuses(t, old.Secret, wiki.CodeKeyExpired)
	w.resolve(t, next.Secret)

	none := time.Duration(0)
	last, err := w.RotateKey(t.Context(), w.user, next.ID, &none)
	require.NoError(t, err)
	w.refuses(t, next.Secret, wiki.CodeKeyExpired)
	w.resolve(t, last.Secret)
	_, err = w.RotateKey(t.Context(), w.user, uuid.New(), nil)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err))
}

func TestKeysOfAnotherTenantAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	stranger := pgtest.Tenant(t, w.db)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.RevokeKey(t.Context(), stranger, w.user.Key)))
	_, err := w.RotateKey(t.Context(), stranger, w.user.Key, nil)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(err))
	keys, err := w.ListKeys(t.Context(), stranger)
	require.NoError(t, err)
	require.Len(t, keys, 1)
}
