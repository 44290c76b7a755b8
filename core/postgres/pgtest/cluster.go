package pgtest

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres/internal/local"
)

const (
	lingerTime = 20 * time.Second // the cluster waits this long for the next test process
	lifeTime   = time.Hour        // the cluster ends after this, come what may
	startTime  = 2 * time.Minute  // for another process to let us in, and for the cluster to answer
	pollTime   = 50 * time.Millisecond
	keeperTime = 15 * time.Second // for a new keeper to take its lock
	// maxSocketPath is the kernel's limit for a unix socket's path (sun_path, 108 bytes with its end).
	maxSocketPath = 107
)

//go:embed keeper.sh
var keeperScript string

// settings trade every safety of the data for speed: the cluster is thrown away.
var settings = map[string]string{
	"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off",
	"listen_addresses": "", "max_connections": "400", "shared_buffers": "256MB", "max_wal_size": "2GB",
	"wal_level": "minimal", "max_wal_senders": "0", "jit": "off", "timezone": "UTC",
	"dynamic_shared_memory_type": "mmap", // containers may have a tiny /dev/shm
}

// cluster is the machine user's one throwaway PostgreSQL, shared by all test processes that use the same binaries.
type cluster struct {
	dir     string
	linger  time.Duration
	install local.Install
	user    *local.User
	// The databases that a test's own is cloned from: prepared only, and with the schema.
	empty, template string

	users *os.File // held shared until this process ends, which tells the keeper that we are here
}

// shared joins the cluster once a process, and starts it when nobody has.
var shared = sync.OnceValues(func() (*cluster, error) { return join(os.TempDir(), lingerTime) })

// join finds or starts the cluster below a directory for temporary files.
func join(temporary string, linger time.Duration) (*cluster, error) {
	install, err := local.Best()
	if err != nil {
		return nil, err
	}
	user, err := local.ServiceUser("")
	if err != nil {
		return nil, err
	}
	c := &cluster{install: install, user: user, linger: linger}
	c.dir = filepath.Join(temporary, fmt.Sprintf("wiki-pgtest-%d-%s", os.Getuid(), shortHash(install.Bin)))
	if err := c.makeDir(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	gate, err := c.lock(ctx, "gate", syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	if c.users, err = c.lock(ctx, "users", syscall.LOCK_SH); err != nil {
		return nil, err
	}
	if err := c.ensureRunning(ctx); err != nil {
		return nil, err
	}
	return c, c.ensureTemplate(ctx)
}

// makeDir makes the shared directory, which only the cluster's user and root can enter. /tmp is everybody's: a directory
// that another user put there first is refused.
func (c *cluster) makeDir() error {
	if len(c.socketDir())+len("/.s.PGSQL.5432") > maxSocketPath {
		return fmt.Errorf("%s is too long a path for a unix socket: set TMPDIR to a shorter one", c.dir)
	}
	if err := os.Mkdir(c.dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(c.dir)
	if err != nil {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.IsDir() || (owner != os.Getuid() && (c.user == nil || owner != c.user.UID)) {
		return fmt.Errorf("%s belongs to somebody else: remove it, or set TMPDIR", c.dir)
	}
	if err := c.user.CanReach(c.dir); err != nil {
		return fmt.Errorf("%w (the tests' is set by TMPDIR)", err)
	}
	return c.user.Own(c.dir)
}

// lock opens one of the directory's lock files and takes it; the lock ends with the file's close or the process's end.
func (c *cluster) lock(ctx context.Context, name string, how int) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(c.dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := c.user.Own(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || !pause(ctx) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
		}
	}
}

// pause waits a little; false when ctx ends first.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pollTime):
		return true
	}
}

func (c *cluster) socketDir() string { return filepath.Join(c.dir, "sock") }

// dsn is a login by name: the socket's directory is the guard, not a password.
func (c *cluster) dsn(user, database string) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", c.socketDir(), user, database)
}

// ensureRunning starts the cluster unless its keeper lives, and waits until it answers. The caller holds the gate.
func (c *cluster) ensureRunning(ctx context.Context) error {
	var started time.Time
	for {
		kept, err := c.kept()
		if err != nil {
			return err
		}
		// On a busy machine a keeper may need seconds to take its lock; a second start would delete its data meanwhile.
		if !kept && time.Since(started) > keeperTime {
			if err := c.start(); err != nil {
				return err
			}
			started = time.Now()
		}
		if c.answers(ctx) {
			return nil
		}
		if !pause(ctx) {
			return fmt.Errorf("the tests' PostgreSQL does not answer; its log: %s", filepath.Join(c.dir, "log"))
		}
	}
}

// kept says whether a keeper holds its lock.
func (c *cluster) kept() (bool, error) {
	file, err := os.OpenFile(filepath.Join(c.dir, "keeper"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if err := c.user.Own(file.Name()); err != nil {
		return false, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func (c *cluster) answers(ctx context.Context) bool {
	conn, err := pgx.Connect(ctx, c.dsn(superuser, "postgres"))
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

// start makes a new cluster and hands it to a keeper, which outlives this process.
func (c *cluster) start() error {
	data := filepath.Join(c.dir, "data")
	for _, dir := range []string{data, c.socketDir()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	initdb := c.install.Command("initdb", "-D", data, "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: c.user.Credential()}
	initdb.Dir = c.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := os.Mkdir(c.socketDir(), 0o700); err != nil {
		return err
	}
	if err := c.user.Own(c.socketDir()); err != nil {
		return err
	}
	return c.startKeeper(data)
}

func (c *cluster) startKeeper(data string) error {
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-c", keeperScript, "keeper", c.dir, c.install.Bin, seconds(c.linger), seconds(lifeTime), "-D", data, "-k", c.socketDir()}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	keeper := c.install.Command("postgres")
	keeper.Path, keeper.Args = "/bin/bash", append([]string{"bash"}, args...)
	keeper.Dir = c.dir
	keeper.Stdout, keeper.Stderr = log, log
	// A session of its own: the end of the terminal or of go test's process group is not the keeper's end.
	keeper.SysProcAttr = &syscall.SysProcAttr{Credential: c.user.Credential(), Setsid: true}
	if err := keeper.Start(); err != nil {
		return err
	}
	return keeper.Process.Release()
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }

// shortHash is a short name for a long text.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
