package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// joined is a cluster of the test's own, which ends a second after its last user.
func joined(t *testing.T, dir string) *cluster {
	t.Helper()
	c, err := join(dir, time.Second)
	require.NoError(t, err)
	return c
}

// room is a directory that the cluster's user may enter.
func room(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wiki-pgtest-test-") //nolint:usetesting // t.TempDir is closed to the cluster's user
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func (c *cluster) postmaster(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(c.dir, "data/postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

func requireEnded(t *testing.T, c *cluster, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
		return err != nil || !strings.HasSuffix(exe, "/postgres")
	}, time.Minute, 50*time.Millisecond, "no process may be left over")
	require.Eventually(t, func() bool {
		kept, err := c.kept()
		return err == nil && !kept
	}, time.Minute, 50*time.Millisecond, "nor its keeper")
}

func TestClusterEndsAfterItsLastUser(t *testing.T) {
	t.Parallel()
	dir := room(t)
	first, second := joined(t, dir), joined(t, dir)
	pid := first.postmaster(t)
	require.Equal(t, pid, second.postmaster(t), "both share it")

	require.NoError(t, first.users.Close())
	time.Sleep(3 * first.linger) // what a cluster without users would not outlive
	require.True(t, second.answers(t.Context()), "one user is left")
	require.NoError(t, second.users.Close())
	requireEnded(t, first, pid)
	require.NoDirExists(t, filepath.Join(first.dir, "data"))

	third := joined(t, dir)
	require.True(t, third.answers(t.Context()), "the next one starts anew")
	pid = third.postmaster(t)
	require.NoError(t, third.users.Close())
	requireEnded(t, third, pid)
}

func TestClusterEndsWithItsKeeper(t *testing.T) {
	t.Parallel()
	c := joined(t, room(t))
	pid := c.postmaster(t)
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	require.NoError(t, err)
	keeper, err := strconv.Atoi(strings.Fields(string(status))[3]) // its parent
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(keeper, syscall.SIGKILL))
	requireEnded(t, c, pid)

	next := joined(t, filepath.Dir(c.dir))
	require.True(t, next.answers(t.Context()))
	pid = next.postmaster(t)
	require.NoError(t, errors.Join(c.users.Close(), next.users.Close()))
	requireEnded(t, next, pid)
}

func TestDirectoryOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	dir := room(t)
	c := joined(t, dir)
	pid := c.postmaster(t)
	require.NoError(t, c.users.Close())
	requireEnded(t, c, pid)
	require.NoError(t, exec.Command("chown", "daemon", c.dir).Run())
	_, err := join(dir, time.Second)
	require.ErrorContains(t, err, "belongs to somebody else")
}
