package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	quitTimeout = 5 * time.Second // for each of the two harder ways to stop
	// busyMemory is what a new PostgreSQL says while the backends of a killed one still hold its shared memory, for a moment.
	busyMemory      = "pre-existing shared memory block"
	busyMemoryPause = 250 * time.Millisecond
	maxLogSize      = 16 << 20 // bytes; a larger log is put aside at the next start
	shownLines      = 6        // of the log, in an error
)

// launch runs PostgreSQL and waits until it answers.
func (c *Cluster) launch(ctx context.Context) error {
	for {
		ended, err := c.launchOnce(ctx)
		if err == nil || !ended || !strings.Contains(err.Error(), busyMemory) || ctx.Err() != nil {
			return err
		}
		c.done = make(chan struct{})
		time.Sleep(busyMemoryPause)
	}
}

// launchOnce is one try. ended says that PostgreSQL ended by itself.
func (c *Cluster) launchOnce(ctx context.Context) (ended bool, err error) {
	log, err := c.openLog()
	if err != nil {
		return false, err
	}
	defer log.Close()
	before, err := log.Seek(0, 2)
	if err != nil {
		return false, err
	}
	if err := c.fork(log); err != nil {
		return false, err
	}
	for !c.answers(ctx) {
		select {
		case <-c.done:
			return true, fmt.Errorf("PostgreSQL ended at its start (%w); its log says:\n%s", c.exit, c.logSince(before))
		case <-ctx.Done():
			err := fmt.Errorf("PostgreSQL did not answer in time (%w); its log says:\n%s", context.Cause(ctx), c.logSince(before))
			return false, errors.Join(err, c.end())
		case <-time.After(pollTime):
		}
	}
	return false, nil
}

// fork starts the child. It's postgres itself and not pg_ctl, so that its end is ours to see.
func (c *Cluster) fork(log *os.File) error {
	cmd := c.install.Command("postgres", c.arguments()...)
	cmd.Dir = c.config.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: c.user.Credential(),
		Setpgid:    true,           // a terminal's ^C is for us, who stop PostgreSQL after the last request
		Pdeathsig:  syscall.SIGINT, // a fast shutdown, should we be killed
	}
	c.cmd = cmd
	started := make(chan error, 1)
	go func() {
		// Pdeathsig fires when the thread that forked ends, not the process: this goroutine keeps its thread to the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.exit = cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	return nil
}

func (c *Cluster) arguments() []string {
	settings := machineSettings()
	settings["unix_socket_directories"] = c.socket
	settings["port"] = c.portText()
	settings["listen_addresses"] = ""
	if c.config.Port != 0 {
		settings["listen_addresses"] = "127.0.0.1"
	}
	maps.Copy(settings, c.config.Settings)
	args := []string{"-D", c.dataDir()}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// answers asks for a connection. While PostgreSQL recovers it refuses them.
func (c *Cluster) answers(ctx context.Context) bool {
	password, err := c.secret(superuserSecret)
	if err != nil {
		return false
	}
	conn, err := pgx.Connect(ctx, c.dsn(superuser, password, "postgres"))
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

func (c *Cluster) openLog() (*os.File, error) {
	if info, err := os.Stat(c.LogFile()); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(c.LogFile(), c.LogFile()+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(c.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

func (c *Cluster) logSince(offset int64) string {
	content, err := os.ReadFile(c.LogFile())
	if err != nil || int64(len(content)) < offset {
		return "(no log at " + filepath.Base(c.LogFile()) + ")"
	}
	return lastLines(content[offset:])
}

func lastLines(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-shownLines):], []byte("\n")))
}

// stopOnce ends PostgreSQL, then gives the directory up.
func (c *Cluster) stopOnce() error {
	return errors.Join(c.end(), c.removeSocketDir(), c.lock.Close())
}

// end asks for a fast shutdown, and gets harder when that takes too long.
func (c *Cluster) end() error {
	for _, way := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, c.config.StopTimeout}, {syscall.SIGQUIT, quitTimeout}, {syscall.SIGKILL, quitTimeout}} {
		if err := c.cmd.Process.Signal(way.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		select {
		case <-c.done:
			return c.exit
		case <-time.After(way.wait):
		}
	}
	return fmt.Errorf("PostgreSQL (process %d) does not stop", c.cmd.Process.Pid)
}
