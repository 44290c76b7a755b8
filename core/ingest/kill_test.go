package ingest_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/ingest"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// TestChildImport is no test: it is the process that TestKilledImportGoesOn starts and kills.
func TestChildImport(t *testing.T) {
	task := pgtest.Given(t)
	h := houseOn(t, pgtest.Open(t, postgres.Config{DSN: task.DSN}))
	_, err := h.Run(t.Context(), task.User(""), open(t, task.On), ingest.Options{}, func(p ingest.Progress) {
		fmt.Println("answered", p.Done)
	})
	require.NoError(t, err)
}

// A process that is killed with -9 leaves nothing half done and nothing done twice.
func TestKilledImportGoesOn(t *testing.T) {
	t.Parallel()
	const pages = 40
	dsn := pgtest.DSN(t)
	h := houseOn(t, pgtest.Open(t, postgres.Config{DSN: dsn}))
	h.actor = pgtest.Tenant(t, h.DB)
	dir := notes(t, pages)
	random := rand.New(rand.NewPCG(9, 9))
	for range 3 {
		child := pgtest.Task{DSN: dsn, Tenant: h.actor.Tenant, On: dir}.Child(t, "TestChildImport", "-test.v")
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines, left := bufio.NewScanner(out), 1+random.IntN(pages/2)
		for lines.Scan() {
			if left--; left == 0 {
				require.NoError(t, child.Process.Kill())
			}
		}
		_ = child.Wait() // killed
	}
	report, files := h.run(t, dir, ingest.Options{})
	require.Positive(t, report.Resumed)
	require.Len(t, files, pages)
	stored := h.stored(t)
	require.Len(t, stored, pages)
	for path, f := range files {
		require.Equal(t, stored[f.Title].ID, *f.Article, path)
	}
	require.Equal(t, pages, linkCount(t, h))
}
