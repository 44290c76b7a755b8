package outbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrBusy says that another workbench with the same server and key is running on this machine.
var ErrBusy = errors.New("another wiki-tui runs with this server and key")

// takeLock holds the lock until the returned file is closed, or the process ends in whatever way.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the outbox lock cannot be opened: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		pid, _ := io.ReadAll(io.LimitReader(f, 20))
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (process %s): leave it first, or use another key", ErrBusy, strings.TrimSpace(string(pid)))
		}
		return nil, fmt.Errorf("the outbox cannot be locked: %w", err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid()) // only for the message above
	}
	return f, nil
}

// freeLock unlocks before it closes: a child process that is being started may still have the descriptor for a moment, and
// with it the lock.
func freeLock(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
