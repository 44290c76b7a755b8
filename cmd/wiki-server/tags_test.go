package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/audit"
	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// The corpus is promoted in two passes, each of which only looks unless it is told to act; a run that was stopped goes on.
func TestSeed6_TagsReservePromotesACorpus(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("tenant", "create", "acme")
	c, err := core.Open(t.Context(), core.Config{Database: postgres.Config{DSN: s.dsn}})
	require.NoError(t, err)
	defer c.Close()
	tenant, err := c.Access.TenantBySlug(t.Context(), access.Operator(uuid.Nil), "acme")
	require.NoError(t, err)
	operator := access.Operator(tenant.ID)
	const legacy, commit = "url-0123456789ab", "commit-0123456789ab"
	for i := range 3 {
		p := gate.Proposal{Title: fmt.Sprint("Page ", i), Body: wiki.SubmittedBody{Present: true, IsText: true, Text: fmt.Sprintf("Text number %d.", i)}, Category: "idea", Force: true}
		if p.Tags = []string{commit, legacy}; i == 2 {
			p.Tags = p.Tags[:1]
		}
		_, err := c.Gate.Propose(t.Context(), operator, p)
		require.NoError(t, err)
	}
	tagged := func(tag string) (n int) {
		require.NoError(t, c.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			return tx.QueryRow(ctx, "select count(*) from articles where $1 = any (tags)", tag).Scan(&n)
		}))
		return n
	}
	reserve := func(args ...string) core.TagReport {
		return decoded[core.TagReport](t, s.ok(append([]string{"tags", "reserve", "--tenant", "acme", "--json"}, args...)...))
	}

	require.Contains(t, s.ok("tags", "reserve", "--tenant", "acme"), "2 tags of 2 articles would be reserved")
	require.Zero(t, tagged("idem-"+legacy), "a dry run changes nothing")
	require.Zero(t, reserve("--drop-legacy", "--apply").Tags, "nothing is dropped before it is reserved")

	// A run that is stopped after the first article goes on with the second.
	ctx, stop := context.WithCancel(t.Context())
	_, err = c.ReserveTags(ctx, operator, core.TagOptions{Apply: true}, func(int, int) { stop() })
	require.Error(t, err)
	require.Equal(t, 1, tagged("idem-"+legacy))
	require.Equal(t, 1, reserve("--apply").Articles)
	require.Equal(t, 2, tagged("idem-"+legacy))
	require.Equal(t, 2, tagged(legacy), "the old form stays until the second pass")
	require.Zero(t, tagged("idem-"+commit))
	require.Zero(t, reserve("--apply").Tags, "again changes nothing")

	require.Equal(t, 2, reserve("--drop-legacy").Tags)
	require.Equal(t, 2, tagged(legacy))
	require.Equal(t, 2, reserve("--drop-legacy", "--apply").Tags)
	require.Zero(t, tagged(legacy))
	require.Equal(t, 3, tagged(commit))

	acts := map[string]int{}
	records, err := c.Audit.List(t.Context(), operator, audit.Filter{})
	require.NoError(t, err)
	for _, r := range records {
		acts[r.Act]++
	}
	require.Equal(t, 2, acts["tags.reserve"])
	require.Equal(t, 2, acts["tags.drop_legacy"])
}
