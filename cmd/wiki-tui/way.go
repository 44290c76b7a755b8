package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/tui"
	"wiki/tui/plain"
	"wiki/tui/recording"
)

// way is how the workbench is worked: on the terminal, with what is typed kept or typed again, or by lines.
type way struct {
	flags
	in  io.Reader
	out io.Writer

	file     *os.File // of --record
	recorder *recording.Recorder
	entries  []recording.Entry // of --replay
}

// wayOf opens what the flags name, before anything else is done.
func wayOf(f flags, in io.Reader, out io.Writer) (*way, error) {
	w := &way{flags: f, in: in, out: out}
	if f.replay != "" {
		file, err := os.Open(f.replay)
		if err != nil {
			return nil, fmt.Errorf("the recording cannot be opened: %w", err)
		}
		defer file.Close()
		if w.entries, err = recording.Read(file); err != nil {
			return nil, fmt.Errorf("%s: %w", f.replay, err)
		}
	}
	if f.record != "" {
		file, err := os.OpenFile(f.record, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // what was typed is nobody else's
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("%s is there already: a recording goes into a new file", f.record)
		}
		if err != nil {
			return nil, fmt.Errorf("the recording cannot be made: %w", err)
		}
		w.file, w.recorder = file, recording.Record(file, time.Now)
	}
	return w, nil
}

// run works the model until it is left.
func (w *way) run(ctx context.Context, m *tui.Model) error {
	if w.plain || w.json {
		if w.plain {
			m.Env().EditOn(w.in, w.out, os.Stderr)
		} else {
			m.Env().Edit = func(_ string, done func(string, error) tea.Msg) tea.Cmd {
				return func() tea.Msg {
					return done("", errors.New("there is no editor in --json: change the draft over HTTP"))
				}
			}
		}
		return plain.Run(ctx, plain.Config{Model: m, In: w.in, Out: w.out, JSON: w.json})
	}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if w.recorder != nil {
		options = append(options, tea.WithFilter(w.recorder.Filter))
	}
	program := tea.NewProgram(m, options...)
	playing, stop := context.WithCancel(ctx)
	var typing sync.WaitGroup
	typing.Go(func() { recording.Play(playing, w.entries, program.Send) })
	_, err := program.Run()
	stop()
	typing.Wait()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // asked to go by a signal: the terminal is as it was
	}
	return err
}

// summary prints what was done in the session.
func (w *way) summary(s tui.Session, unsent int) error {
	said := s.Summary(time.Now(), unsent)
	if !w.json {
		_, err := io.WriteString(w.out, said)
		return err
	}
	return json.NewEncoder(w.out).Encode(map[string]any{
		"judged": s.Judged(), "by_disposition": s.ByKind, "others": s.Others, "taken_back": s.Undone, "skipped": s.Skipped, "deferred": s.Deferred, "refused": s.Returned,
		"unsent": unsent, "summary": said,
	})
}

// close ends the recording.
func (w *way) close() {
	if w.file == nil {
		return
	}
	if err := errors.Join(w.recorder.Err(), w.file.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "wiki-tui: the recording is not whole:", err)
	}
}
