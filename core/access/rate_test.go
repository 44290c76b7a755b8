package access_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/access"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// servers are two over one database, at a time that stands still until it is moved.
type servers struct {
	t      *testing.T
	db     *postgres.DB
	at     atomic.Int64
	both   [2]*access.Service
	tenant uuid.UUID
}

func newServers(t *testing.T) *servers {
	t.Parallel()
	s := &servers{t: t}
	s.at.Store(time.Date(2026, 12, 1, 12, 0, 30, 0, time.UTC).Unix())
	s.db = pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: func() time.Time { return time.Unix(s.at.Load(), 0) }})
	s.both = [2]*access.Service{access.New(s.db, access.Settings{}), access.New(s.db, access.Settings{})}
	tenant, err := s.both[0].CreateTenant(t.Context(), access.Operator(uuid.Nil), access.NewTenant{Slug: "team", Name: "Team"})
	require.NoError(t, err)
	s.tenant = tenant.ID
	return s
}

func (s *servers) key() string {
	s.t.Helper()
	k, err := s.both[0].CreateKey(s.t.Context(), access.Operator(s.tenant), access.NewKey{Name: "k", Role: wiki.RoleAgent})
	require.NoError(s.t, err)
	return k.Secret
}

// calls makes n calls, by turns at each server, and gives how many were let through and the last answer.
func (s *servers) calls(n int, key string, rates access.Rates) (allowed int, last access.Calls) {
	s.t.Helper()
	for i := range n {
		id, err := s.both[i%2].Enter(s.t.Context(), key, rates)
		require.NoError(s.t, err)
		if last = id.Calls; last.Over == "" {
			allowed++
		}
	}
	return allowed, last
}

func TestRatesAreSharedByAllServers(t *testing.T) {
	s := newServers(t)
	rates := access.Rates{PerKey: 4, TenantKeys: 3}
	first := s.key()
	allowed, last := s.calls(3, first, rates)
	require.Equal(t, 3, allowed)
	require.Equal(t, access.Calls{Limited: true, Limit: 4, Remaining: 1, Reset: time.Date(2026, 12, 1, 12, 1, 0, 0, time.UTC)}, last)
	allowed, last = s.calls(500, first, rates)
	require.Equal(t, 1, allowed)
	require.Equal(t, access.OverKey, last.Over)
	require.Zero(t, last.Remaining)
	// What was refused to one key is not taken from its tenant's others.
	for range 2 {
		allowed, _ = s.calls(5, s.key(), rates)
		require.Equal(t, 4, allowed)
	}
	allowed, last = s.calls(3, s.key(), rates)
	require.Zero(t, allowed)
	require.Equal(t, access.OverTenant, last.Over)
}

func TestRatesSlide(t *testing.T) {
	s := newServers(t)
	key := s.key()
	rates := access.Rates{PerKey: 60, TenantKeys: 3}
	allowed, _ := s.calls(70, key, rates)
	require.Equal(t, 60, allowed)
	s.at.Add(45) // a quarter of the next window: three quarters of the last one still count
	allowed, last := s.calls(70, key, rates)
	require.Equal(t, 15, allowed)
	require.Zero(t, last.Remaining)
	s.at.Add(120)
	allowed, _ = s.calls(70, key, rates)
	require.Equal(t, 60, allowed, "and then nothing of it does")
}

func TestRatesOfATenantAndOfASuperadmin(t *testing.T) {
	s := newServers(t)
	rates := access.Rates{PerKey: 4, TenantKeys: 3}
	exec(t, s.db, `update tenants set settings = '{"rate_per_key": 2}'`)
	allowed, last := s.calls(5, s.key(), rates)
	require.Equal(t, 2, allowed)
	require.Equal(t, 2, last.Limit)
	exec(t, s.db, `update tenants set settings = '{}'`)
	allowed, last = s.calls(9, s.key(), access.Rates{PerKey: -1, TenantKeys: 3})
	require.Equal(t, 9, allowed)
	require.False(t, last.Limited)
	super, err := s.both[0].CreateKey(t.Context(), access.Operator(uuid.Nil), access.NewKey{Name: "root", Role: wiki.RoleSuperadmin})
	require.NoError(t, err)
	allowed, _ = s.calls(9, super.Secret, rates)
	require.Equal(t, 9, allowed)
}

func TestRatesHoldWhenManyCallAtOnce(t *testing.T) {
	s := newServers(t)
	rates := access.Rates{PerKey: 10, TenantKeys: 2}
	keys := []string{s.key(), s.key(), s.key()}
	var mu sync.Mutex
	allowed := map[string]int{}
	var group errgroup.Group
	for i := range 90 {
		group.Go(func() error {
			id, err := s.both[i%2].Enter(t.Context(), keys[i%3], rates)
			if err == nil && id.Calls.Over == "" {
				mu.Lock()
				allowed[keys[i%3]]++
				mu.Unlock()
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	total := 0
	for _, n := range allowed {
		require.LessOrEqual(t, n, 10)
		total += n
	}
	require.Equal(t, 20, total)
}

func exec(t *testing.T, db *postgres.DB, sql string) {
	t.Helper()
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, sql)
		return err
	}))
}
