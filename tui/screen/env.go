package screen

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/theme"
)

// Env is what the root shares with its screens. The root replaces Theme when the terminal says what it can show, and Who when
// the server says whose key it is.
type Env struct {
	Theme *theme.Theme
	Who   api.Whoami // what the key is; zero until the server has told
	Now   func() time.Time
	// After makes a command that gives a message after a time; tests replace it.
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// Edit opens the curator's editor on a text, and gives a message of what was saved; tests replace it.
	Edit func(text string, done func(saved string, err error) tea.Msg) tea.Cmd
	base context.Context
	busy atomic.Int64
}

// NewEnv makes an Env; commands end when the context does.
func NewEnv(ctx context.Context, th *theme.Theme, now func() time.Time) *Env {
	after := func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}
	return &Env{Theme: th, Now: now, After: after, Edit: editor(ctx), base: ctx}
}

// Call makes a command of a call to the server.
func (e *Env) Call(fn func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		e.busy.Add(1)
		defer e.busy.Add(-1)
		return fn(e.base)
	}
}

// Busy says whether a call is under way. It may be asked from any goroutine.
func (e *Env) Busy() bool { return e.busy.Load() > 0 }

// EditOn makes the editor run on these streams instead of taking the screen over, for a program that has none.
func (e *Env) EditOn(in io.Reader, out, failures io.Writer) {
	e.Edit = func(text string, done func(string, error) tea.Msg) tea.Cmd {
		return e.Call(func(ctx context.Context) tea.Msg {
			path, err := written(text)
			if err != nil {
				return done("", err)
			}
			defer func() { _ = os.Remove(path) }()
			cmd := EditorCommand(ctx, os.Getenv, path)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, failures
			if err := cmd.Run(); err != nil {
				return done("", ended(err))
			}
			return done(read(path))
		})
	}
}
