package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres/embedded"
	"wiki/core/postgres/internal/local"
)

// The tests start and kill real servers: this test program, started again with a configuration in its environment.
const serverEnv = "WIKI_EMBEDDED_TEST_SERVER"

// Exit codes of the test's server.
const (
	exitFailed = 3 // Start gave an error
	exitEnded  = 4 // PostgreSQL ended by itself
)

func TestMain(m *testing.M) {
	if config := os.Getenv(serverEnv); config != "" {
		os.Exit(serve(config))
	}
	code := m.Run()
	for _, dir := range []string{preparedDir, programDir} {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Println(err)
		}
	}
	os.Exit(code)
}

// preparedDir holds a stopped cluster, which most tests start from (making one anew costs seconds); programDir the server.
var preparedDir, programDir string

var prepared = sync.OnceValues(func() (string, error) {
	var err error
	if preparedDir, err = os.MkdirTemp("", "wiki-embedded-"); err != nil {
		return "", err
	}
	if err := os.Chmod(preparedDir, 0o755); err != nil {
		return "", err
	}
	dir := filepath.Join(preparedDir, "database")
	cluster, err := embedded.Start(context.Background(), small(dir))
	if err != nil {
		return "", err
	}
	return dir, cluster.Stop()
})

// copied gives the directory of a stopped cluster of the test's own, in a new room.
func copied(t *testing.T) string {
	t.Helper()
	from, err := prepared()
	require.NoError(t, err)
	dir := filepath.Join(room(t), "database")
	out, err := exec.Command("cp", "-a", from, dir).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// serve is a server in small: it starts the cluster, says so, and stops it on a signal.
func serve(text string) int {
	var config embedded.Config
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cluster, err := embedded.Start(ctx, config)
	if err != nil {
		fmt.Println("error:", err)
		return exitFailed
	}
	fmt.Println("dsn", cluster.DSN())
	select {
	case <-ctx.Done():
		if err := cluster.Stop(); err != nil {
			fmt.Println("error:", err)
			return exitFailed
		}
		fmt.Println("stopped")
		return 0
	case <-cluster.Done():
		fmt.Println("ended:", cluster.Err())
		return exitEnded
	}
}

// server is a started test server.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	dsn    string
	output []string
}

// launch starts a server; ready waits until its cluster answers.
func launch(t *testing.T, config embedded.Config, as *syscall.Credential) *server {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	path, err := program()
	require.NoError(t, err)
	s := &server{t: t, cmd: exec.Command(path)}
	s.cmd.Env = append(os.Environ(), serverEnv+"="+string(text))
	s.cmd.Dir = "/"
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.cmd.Stderr = os.Stderr
	require.NoError(t, s.cmd.Start())
	s.lines = bufio.NewScanner(out)
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			s.wait()
		}
	})
	return s
}

func (s *server) ready() *server {
	s.t.Helper()
	for s.lines.Scan() {
		s.output = append(s.output, s.lines.Text())
		if dsn, ok := strings.CutPrefix(s.lines.Text(), "dsn "); ok {
			s.dsn = dsn
			return s
		}
	}
	require.Fail(s.t, "the server did not start", "%v", s.output)
	return nil
}

// wait gives the exit code and all that the server said.
func (s *server) wait() (int, string) {
	s.t.Helper()
	for s.lines.Scan() {
		s.output = append(s.output, s.lines.Text())
	}
	_ = s.cmd.Wait() // the code tells
	return s.cmd.ProcessState.ExitCode(), strings.Join(s.output, "\n")
}

func (s *server) signal(signal syscall.Signal) *server {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(signal))
	return s
}

func (s *server) stop() {
	s.t.Helper()
	code, said := s.signal(syscall.SIGTERM).wait()
	require.Zero(s.t, code, said)
	require.Contains(s.t, said, "stopped")
}

// query runs one statement as the wiki's own login and gives its one value as text.
func (s *server) query(sql string) string {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.dsn)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close(context.Background())) }()
	var value string
	require.NoError(s.t, conn.QueryRow(s.t.Context(), sql).Scan(&value))
	return value
}

func (s *server) exec(sql string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.dsn)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, conn.Close(context.Background())) }()
	_, err = conn.Exec(s.t.Context(), sql)
	require.NoError(s.t, err)
}

// fails starts a server that must not come up, and gives what it said.
func fails(t *testing.T, config embedded.Config, as *syscall.Credential) string {
	t.Helper()
	code, said := launch(t, config, as).wait()
	require.Equal(t, exitFailed, code, said)
	return said
}

// room makes a directory that every user may enter, unlike t.TempDir.
func room(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wiki-embedded-") //nolint:usetesting // t.TempDir is closed to the user that PostgreSQL runs as
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// program is this test program at a place where every user may run it. It's copied by another process: while this one had
// it open for writing, a parallel test's fork would inherit that and nobody could run it.
var program = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil || os.Getuid() != 0 {
		return self, err
	}
	if programDir, err = os.MkdirTemp("", "wiki-embedded-"); err != nil {
		return "", err
	}
	if err := os.Chmod(programDir, 0o755); err != nil {
		return "", err
	}
	copied := filepath.Join(programDir, "server")
	return copied, exec.Command("install", "-m", "0755", self, copied).Run()
})

// small is a configuration for a test: as the default, with little memory.
func small(dir string) embedded.Config {
	return embedded.Config{Dir: dir, Settings: map[string]string{"shared_buffers": "16MB", "max_connections": "20"}}
}

// nobody is another user to be, where this process may choose.
func nobody(t *testing.T) (*syscall.Credential, int) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a server as another user")
	}
	found, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.Atoi(found.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(found.Gid)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{uint32(gid)}}, uid
}

// postgresPID reads PostgreSQL's process from the data directory.
func postgresPID(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "data/postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

// requireGone waits for the end of a process that ran PostgreSQL.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return err != nil || !strings.HasSuffix(exe, "/postgres")
	}, time.Minute, 20*time.Millisecond, "PostgreSQL has to end with its server")
}

// bin is the directory of the binaries that the tests use.
func bin(t *testing.T) string {
	t.Helper()
	install, err := local.Best()
	require.NoError(t, err)
	return install.Bin
}
