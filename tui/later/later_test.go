package later_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/tui/later"
)

func TestDeferralsAreKept(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "deep", "later.json")
	s, err := later.Open(path, now)
	require.NoError(t, err)
	s.Set("a", now.Add(time.Hour))
	older := s.Snapshot()
	s.Set("b", now.Add(24*time.Hour))
	s.Drop("a")
	require.NoError(t, s.Snapshot()())
	require.NoError(t, older(), "an older snapshot comes late")

	s, err = later.Open(path, now)
	require.NoError(t, err)
	require.Len(t, s.All(), 1)
	require.Contains(t, s.All(), "b")
	s, err = later.Open(path, now.Add(25*time.Hour))
	require.NoError(t, err)
	require.Empty(t, s.All(), "an ended deferral is forgotten")
}

func TestADamagedFileIsNotFatal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "later.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	s, err := later.Open(path, time.Now())
	require.Error(t, err)
	require.Empty(t, s.All())
}
