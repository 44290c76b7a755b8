package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wiki/core/postgres/internal/local"
)

const (
	// maxSocketPath is the kernel's limit for a unix socket's path (sun_path, 108 bytes with its end).
	maxSocketPath = 107
	pollTime      = 20 * time.Millisecond
)

// takeDir makes the directory and locks it. flock ends with the process, so it is never stale, and PostgreSQL does not
// inherit it (O_CLOEXEC).
func (c *Cluster) takeDir() error {
	dir := c.config.Dir
	if err := c.user.CanReach(filepath.Dir(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	// The real path: it is compared with the one that the kernel gives for a process.
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	c.config.Dir = resolved
	lock, err := os.OpenFile(filepath.Join(resolved, "server.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("%w (run as the user who owns %s, or choose another directory): %w", ErrUnreachable, dir, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(inUse(lock, err), lock.Close())
	}
	c.lock = lock
	if err := c.claimDir(); err != nil {
		return errors.Join(err, lock.Close())
	}
	return nil
}

func inUse(lock *os.File, err error) error {
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	holder, err := os.ReadFile(lock.Name())
	if err != nil {
		holder = []byte("unknown")
	}
	return fmt.Errorf("%w: %s is held by process %s; stop that server, or give this one another directory",
		ErrInUse, filepath.Dir(lock.Name()), strings.TrimSpace(string(holder)))
}

// claimDir writes who holds the lock, and hands the directory to PostgreSQL's user.
func (c *Cluster) claimDir() error {
	if err := c.lock.Truncate(0); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if _, err := fmt.Fprintf(c.lock, "%d\n", os.Getpid()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := c.user.CanReach(c.config.Dir); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := c.user.Own(c.config.Dir); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// pickInstall chooses the binaries: those of the data directory's major version, else the best there are.
func (c *Cluster) pickInstall() error {
	found, err := local.Find(c.config.BinDirs...)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%w: run %s", ErrNotInstalled, local.InstallCommand)
	}
	c.install = found[0]
	made, err := os.ReadFile(filepath.Join(c.dataDir(), "PG_VERSION"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err == nil {
		if err := c.matchMajor(found, strings.TrimSpace(string(made))); err != nil {
			return err
		}
	}
	if !c.install.Vector {
		return fmt.Errorf("%w: %v; run %s", ErrNotInstalled, c.install, local.InstallCommand)
	}
	if err := c.user.CanReach(filepath.Join(c.install.Bin, "postgres")); err != nil {
		return fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}
	return nil
}

// matchMajor refuses binaries of another major version, which cannot read the data. The data stay as they are.
func (c *Cluster) matchMajor(found []local.Install, made string) error {
	for _, install := range found {
		if strconv.Itoa(install.Major) == made {
			c.install = install
			return nil
		}
	}
	return fmt.Errorf("%w: %s is of PostgreSQL %s, and here is only %v; install PostgreSQL %s, or move the data with pg_upgrade or a dump",
		ErrOtherMajor, c.dataDir(), made, found, made)
}

// clearStale removes what a killed cluster left behind. While we hold the lock no other server of ours runs here, whatever
// postmaster.pid says; but a PostgreSQL whose server was just killed may still be on its way out.
func (c *Cluster) clearStale(ctx context.Context) error {
	pidFile := filepath.Join(c.dataDir(), "postmaster.pid")
	content, err := os.ReadFile(pidFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err := strconv.Atoi(strings.TrimSpace(first)); err == nil {
		if err := c.endOrphan(ctx, pid); err != nil {
			return err
		}
	}
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// endOrphan stops a PostgreSQL that runs on our data and waits for its end.
func (c *Cluster) endOrphan(ctx context.Context, pid int) error {
	for asked := false; c.isOurs(pid); {
		if !asked {
			asked = true
			if err := syscall.Kill(pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("%w: PostgreSQL %d runs on %s: %w", ErrInUse, pid, c.dataDir(), err)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: PostgreSQL %d runs on %s and does not stop", ErrInUse, pid, c.dataDir())
		case <-time.After(pollTime):
		}
	}
	return nil
}

// isOurs says whether a process is a PostgreSQL on our data. A signal 0 would not tell: it also reaches a process that took
// the number over, and one that has ended and that nobody has reaped.
func (c *Cluster) isOurs(pid int) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || filepath.Base(strings.TrimSuffix(exe, " (deleted)")) != "postgres" {
		return false
	}
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && cwd == c.dataDir()
}

// makeSocketDir makes the directory that guards the socket: in the cluster's own, or, where that path is too long for a
// socket, a temporary one. Leftover sockets go, since each has a lock file that names a process, too.
func (c *Cluster) makeSocketDir() error {
	c.socket = filepath.Join(c.config.Dir, "sock")
	if len(c.socketFile()) > maxSocketPath {
		short, err := os.MkdirTemp("", "wiki-sock-")
		if err != nil {
			return err
		}
		c.socket = short
	}
	if err := os.RemoveAll(c.socket); err != nil {
		return err
	}
	if err := os.Mkdir(c.socket, 0o700); err != nil {
		return err
	}
	return c.user.Own(c.socket)
}

func (c *Cluster) socketFile() string { return filepath.Join(c.socket, ".s.PGSQL."+c.portText()) }

func (c *Cluster) removeSocketDir() error { return os.RemoveAll(c.socket) }
