package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	workbenchProgram = "wiki-tui"
	// workbenchGrace is how long the workbench has to put the terminal back when the server stops under it.
	workbenchGrace = 5 * time.Second
)

// openWorkbench runs wiki-tui on the terminal until it is left. It stays in this process's group, so that it is what the
// terminal's keys reach. When ctx ends first, the workbench is asked to go and puts the terminal back.
func (a *app) openWorkbench(ctx context.Context, r running) error {
	program, err := findWorkbench()
	if err != nil {
		return err
	}
	key, err := a.readKey(curatorKey)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "WIKI_URL="+r.URL, "WIKI_KEY="+key, "WIKI_HOME="+a.settings.StateDir)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = workbenchGrace
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it went because we asked it to
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s ended with %w", workbenchProgram, exit)
	}
	return err
}

// findWorkbench looks beside this program first: the two are built and installed together.
func findWorkbench() (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), workbenchProgram)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	path, err := exec.LookPath(workbenchProgram)
	if err != nil {
		return "", blocked(nil, "build it with make, so that it lies beside wiki-server", "the program %s is not here", workbenchProgram)
	}
	return path, nil
}
