package embedded_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/embedded"
)

func TestFirstStartMakesACluster(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(room(t), "wiki/database")
	s := launch(t, small(dir), nil).ready()
	require.Equal(t, "wiki wiki off on UTF8", s.query(`select concat_ws(' ', current_user, current_database(), current_setting('is_superuser'),
		current_setting('fsync'), current_setting('server_encoding'))`))
	require.Equal(t, "é", s.query(`select lower('É')`))
	require.NoError(t, postgres.Migrate(t.Context(), s.dsn, postgres.Newest, nil), "the owner can migrate without more rights")
	s.exec("set role wiki_app")

	for name, mode := range map[string]os.FileMode{".": 0o700, "sock": 0o700, "data": 0o700, "password": 0o600, "superuser.password": 0o600, "postgres.log": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
	if os.Getuid() == 0 {
		info, err := os.Stat(fmt.Sprintf("/proc/%d", postgresPID(t, dir)))
		require.NoError(t, err)
		require.NotZero(t, info.Sys().(*syscall.Stat_t).Uid, "PostgreSQL must not run as root")
	}
	pid := postgresPID(t, dir)
	s.stop()
	requireGone(t, pid)
	require.NoFileExists(t, filepath.Join(dir, "data/postmaster.pid"))
}

func TestSecondStartKeepsTheData(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	s.exec("create table kept as select 'here' as what")
	s.stop()
	s = launch(t, small(dir), nil).ready()
	require.Equal(t, "here", s.query("select what from kept"))
	code, said := s.signal(syscall.SIGINT).wait()
	require.Zero(t, code, said)
}

func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	said := fails(t, small(dir), nil)
	require.Contains(t, said, embedded.ErrInUse.Error())
	require.Contains(t, said, fmt.Sprintf("process %d", s.cmd.Process.Pid))
	require.Equal(t, "1", s.query("select 1::text"), "the first server is not disturbed")
}

func TestPostgreSQLEndsWithAKilledServer(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	s.exec("create table kept as select 'here' as what")
	pid := postgresPID(t, dir)
	s.signal(syscall.SIGKILL).wait()
	// At once, while the old one may be on its way out.
	next := launch(t, small(dir), nil).ready()
	requireGone(t, pid)
	require.Equal(t, "here", next.query("select what from kept"))
}

func TestBothKilledRecovers(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	s.exec("create table kept as select 'here' as what")
	pid := postgresPID(t, dir)
	s.signal(syscall.SIGSTOP) // so that it cannot tidy up after its child
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	s.signal(syscall.SIGKILL).wait()
	requireGone(t, pid)
	require.FileExists(t, filepath.Join(dir, "data/postmaster.pid"))

	s = launch(t, small(dir), nil).ready()
	require.Equal(t, "here", s.query("select what from kept"))
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "recovery")
}

// A pid file that names a process which took the number over, of the same user: plain PostgreSQL refuses to start.
func TestReusedPIDIsSeenThrough(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	info, err := os.Stat(filepath.Join(dir, "data"))
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	content, err := os.ReadFile(filepath.Join(dir, "data/postmaster.pid"))
	require.NoError(t, err)
	s.stop()

	other := exec.Command("sleep", "600")
	if os.Getuid() == 0 {
		other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	require.NoError(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	_, rest, _ := strings.Cut(string(content), "\n")
	pidFile := filepath.Join(dir, "data/postmaster.pid")
	require.NoError(t, os.WriteFile(pidFile, fmt.Appendf(nil, "%d\n%s", other.Process.Pid, rest), 0o600))
	require.NoError(t, os.Chown(pidFile, int(owner.Uid), int(owner.Gid)))

	launch(t, small(dir), nil).ready().stop()
	require.NoError(t, other.Process.Signal(syscall.Signal(0)), "the other process is left alone")
}

func TestPostgreSQLsOwnEndIsSeen(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	require.NoError(t, syscall.Kill(postgresPID(t, dir), syscall.SIGKILL))
	code, said := s.wait()
	require.Equal(t, exitEnded, code, said)
	require.Contains(t, said, "killed")
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	config := small(copied(t))
	config.Port = taken.Addr().(*net.TCPAddr).Port
	said := fails(t, config, nil)
	require.Contains(t, said, "Address already in use", "what PostgreSQL logged is passed on")
}

func TestPortNeedsThePassword(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := small(copied(t))
	config.Port = free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	s := launch(t, config, nil).ready()
	require.Equal(t, "1", s.query("select 1::text"))
	_, err = pgx.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=wiki password=guessed dbname=wiki sslmode=disable", config.Port))
	require.ErrorContains(t, err, "password authentication failed")
}

func TestOtherMajorIsRefusedAndUntouched(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	s.exec("create table kept as select 'here' as what")
	s.stop()
	version := filepath.Join(dir, "data/PG_VERSION")
	made, err := os.ReadFile(version)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(version, []byte("9\n"), 0o600))
	said := fails(t, small(dir), nil)
	require.Contains(t, said, embedded.ErrOtherMajor.Error())
	require.Contains(t, said, "install PostgreSQL 9, or move the data")

	require.NoError(t, os.WriteFile(version, made, 0o600))
	s = launch(t, small(dir), nil).ready()
	require.Equal(t, "here", s.query("select what from kept"))
}

func TestUnusableInstallIsRefused(t *testing.T) {
	t.Parallel()
	dir := room(t)
	config := small(filepath.Join(dir, "database"))
	config.BinDirs = []string{filepath.Join(dir, "nowhere")}
	said := fails(t, config, nil)
	require.Contains(t, said, embedded.ErrNotInstalled.Error())
	require.Contains(t, said, "embedded/install.sh")

	// The real binaries, seen from a place where no extension lies beside them.
	bare := filepath.Join(dir, "a/b/c/bin")
	require.NoError(t, os.MkdirAll(bare, 0o755))
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.Symlink(filepath.Join(bin(t), name), filepath.Join(bare, name)))
	}
	config.BinDirs = []string{bare}
	require.Contains(t, fails(t, config, nil), "without pgvector")
}

// Root's own directories are closed to the user that PostgreSQL runs as.
func TestDirectoryOutOfReach(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root runs PostgreSQL as another user")
	}
	closed := filepath.Join(room(t), "closed")
	require.NoError(t, os.Mkdir(closed, 0o700))
	said := fails(t, small(filepath.Join(closed, "deeper/database")), nil)
	require.Contains(t, said, embedded.ErrUnreachable.Error())
	require.Contains(t, said, "cannot enter "+closed)
	require.NoDirExists(t, filepath.Join(closed, "deeper"))
}

func TestNormalUser(t *testing.T) {
	t.Parallel()
	credential, uid := nobody(t)
	dir := room(t)
	require.NoError(t, os.Chown(dir, uid, -1))
	config := small(filepath.Join(dir, "database"))
	config.BinDirs = []string{bin(t)} // that user's own home has none
	launch(t, config, credential).ready().stop()
}

func TestDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	credential, _ := nobody(t)
	dir := copied(t)
	launch(t, small(dir), nil).ready().stop()
	require.Contains(t, fails(t, small(dir), credential), embedded.ErrUnreachable.Error())
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(room(t), strings.Repeat("x", 90), strings.Repeat("y", 40), "database")
	s := launch(t, small(dir), nil).ready()
	require.Equal(t, "1", s.query("select 1::text"))
	config, err := pgx.ParseConfig(s.dsn)
	require.NoError(t, err)
	s.stop()
	require.NoDirExists(t, config.Host, "the socket's own directory goes with the server")
}

func TestLinkedDirectory(t *testing.T) {
	t.Parallel()
	dir := room(t)
	require.NoError(t, os.Symlink(dir, dir+"-link"))
	t.Cleanup(func() { require.NoError(t, os.Remove(dir+"-link")) })
	s := launch(t, small(filepath.Join(dir+"-link", "database")), nil).ready()
	s.signal(syscall.SIGKILL).wait()
	launch(t, small(filepath.Join(dir+"-link", "database")), nil).ready().stop()
}

func TestStopDoesNotWaitForAnOpenTransaction(t *testing.T) {
	t.Parallel()
	dir := copied(t)
	s := launch(t, small(dir), nil).ready()
	s.exec("create table kept (what text)")
	conn, err := pgx.Connect(t.Context(), s.dsn)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), "begin; insert into kept values ('never committed')")
	require.NoError(t, err)
	s.stop()
	s = launch(t, small(dir), nil).ready()
	require.Equal(t, "0", s.query("select count(*)::text from kept"))
}

func TestHalfMadeClusterIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(room(t), "database")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data.init/base"), 0o700))
	launch(t, small(dir), nil).ready().stop()
	require.NoDirExists(t, filepath.Join(dir, "data.init"))
}

func TestStopTwice(t *testing.T) {
	t.Parallel()
	cluster, err := embedded.Start(t.Context(), small(copied(t)))
	require.NoError(t, err)
	require.NoError(t, cluster.Err())
	require.NoError(t, cluster.Stop())
	require.NoError(t, cluster.Stop())
	<-cluster.Done()
	require.NoError(t, cluster.Err())
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(room(t), "database")
	_, err := embedded.Start(ctx, small(dir))
	require.Error(t, err)
	require.NoDirExists(t, filepath.Join(dir, "data"))
}
