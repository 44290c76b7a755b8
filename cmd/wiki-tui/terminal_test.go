package main_test

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// screenWait is how long a screen may take to show what a test waits for. It bounds a hang; it is no speed requirement.
const screenWait = 60 * time.Second

// terminal runs a program in a real pty and keeps the screen that a person would see.
type terminal struct {
	tb  testing.TB
	cmd *exec.Cmd
	tty *os.File

	mu     sync.Mutex // the emulator is written by the reader goroutine and read by the test
	screen *vt.Emulator
	all    strings.Builder // every byte that the program wrote

	done chan struct{} // closed once the program's output has ended
}

func openTerminal(tb testing.TB, cmd *exec.Cmd, width, height int) *terminal {
	tb.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	require.NoError(tb, err)
	t := &terminal{tb: tb, cmd: cmd, tty: tty, screen: vt.NewEmulator(width, height), done: make(chan struct{})}
	go t.show()
	go t.answer()
	tb.Cleanup(t.close)
	return t
}

// show feeds what the program writes to the emulator.
func (t *terminal) show() {
	defer close(t.done)
	buffer := make([]byte, 32<<10)
	for {
		n, err := t.tty.Read(buffer)
		t.mu.Lock()
		_, _ = t.screen.Write(buffer[:n])
		t.all.Write(buffer[:n])
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// answer sends the emulator's replies to the program's queries, as a terminal does.
func (t *terminal) answer() { _, _ = io.Copy(t.tty, t.screen) }

func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

func (t *terminal) keys(keys string) {
	t.tb.Helper()
	_, err := t.tty.WriteString(keys)
	require.NoError(t.tb, err)
}

// waitFor waits until the screen matches the pattern, and gives its groups.
func (t *terminal) waitFor(pattern string) []string {
	t.tb.Helper()
	want := regexp.MustCompile(pattern)
	var found []string
	t.until("the screen shows "+pattern, func() bool {
		found = want.FindStringSubmatch(t.text())
		return found != nil
	})
	return found
}

func (t *terminal) until(what string, holds func() bool) {
	t.tb.Helper()
	deadline := time.Now().Add(screenWait)
	for !holds() {
		if time.Now().After(deadline) {
			t.tb.Fatalf("waited %s until %s; the screen is:\n%s", screenWait, what, t.text())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// wait waits for the program to end and gives what it printed after it left its screen.
func (t *terminal) wait() error {
	err := t.cmd.Wait()
	<-t.done
	return err
}

func (t *terminal) close() {
	if t.cmd.ProcessState == nil {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
	}
	_ = t.tty.Close()
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.screen.Close()
}
