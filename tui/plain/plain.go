// Package plain runs the workbench without a screen: a line in, lines out, for screen readers; or JSON in and out, for
// scripts. It is the same model with the same actions; only keys and drawing are left out.
package plain

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wiki/tui"
)

const (
	// The window that is not there. It is narrow enough for texts to be stacked, and high enough to hold most.
	columns = 99
	rows    = 60
	// quiet is how long nothing has to happen until a command is taken to be over; patience is how long that is waited for.
	quiet    = 250 * time.Millisecond
	patience = 20 * time.Second
	// maxLineBytes bounds a line: an article's body may be typed in one.
	maxLineBytes = 1 << 20
)

// Config says what is run, and on what.
type Config struct {
	Model   *tui.Model
	In      io.Reader
	Out     io.Writer
	JSON    bool
	Options []tea.ProgramOption // such as a recorder
}

// watched is the model with what it last showed.
type watched struct {
	*tui.Model
	mu   sync.Mutex
	last tui.Situation
	at   time.Time
}

// Update implements tea.Model.
func (w *watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := w.Model.Update(msg)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.at = w.Situation(), time.Now()
	return w, cmd
}

func (w *watched) now() (tui.Situation, time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.at
}

// session is a run.
type session struct {
	Config
	model   *watched
	program *tea.Program
	ended   chan struct{}
	shown   map[string]bool // rows printed last, by what they say
}

// Run runs the workbench until it is left, the input or the context ends. With JSON it waits, after each command, until the
// server has answered the act.
func Run(ctx context.Context, cfg Config) error {
	s := &session{Config: cfg, model: &watched{Model: cfg.Model}, ended: make(chan struct{}), shown: map[string]bool{}}
	nothing, end := io.Pipe()
	defer func() { _ = end.Close() }()
	options := append([]tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(nothing), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithWindowSize(columns, rows), tea.WithColorProfile(colorprofile.ASCII),
	}, cfg.Options...)
	s.program = tea.NewProgram(s.model, options...)
	var err error
	go func() {
		defer close(s.ended)
		_, err = s.program.Run()
	}()
	talked := s.talk(ctx)
	s.program.Quit()
	<-s.ended
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // asked to go by a signal
	}
	return errors.Join(talked, err)
}

// talk reads commands and says what comes of them.
func (s *session) talk(ctx context.Context) error {
	s.settle(ctx)
	if err := s.tell(""); err != nil {
		return err
	}
	lines := bufio.NewScanner(s.In)
	lines.Buffer(nil, maxLineBytes)
	for ctx.Err() == nil {
		more, err := next(ctx, lines)
		if !more {
			return err
		}
		var wrong string
		if s.JSON {
			wrong = s.order(ctx, lines.Bytes())
		} else {
			wrong = s.line(ctx, lines.Text())
		}
		if now, _ := s.model.now(); now.Left {
			return nil
		}
		if err := s.tell(wrong); err != nil {
			return err
		}
	}
	return nil
}

// next reads a line; false when the input has ended, or the context, which does not wait for a line. Nothing is read before
// it is asked for: an editor may be the one to read what follows.
func next(ctx context.Context, lines *bufio.Scanner) (more bool, err error) {
	read := make(chan bool, 1)
	go func() { read <- lines.Scan() }()
	select {
	case more = <-read:
		return more, lines.Err()
	case <-ctx.Done():
		return false, nil
	}
}

// settle waits until a command is over.
func (s *session) settle(ctx context.Context) {
	start := time.Now()
	for time.Since(start) < patience {
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			return
		case <-time.After(quiet / 10):
		}
		now, at := s.model.now()
		busy := s.model.Env().Busy() || s.JSON && now.ToSend > 0 && now.Link == "live"
		if !busy && time.Since(start) >= quiet && time.Since(at) >= quiet || now.Left {
			return
		}
	}
}

func (s *session) send(ctx context.Context, msg tea.Msg) {
	s.program.Send(msg)
	s.settle(ctx)
}

// order does one command of a script: {"do": "judge.merge"}, by name or key, or {"text": "what is typed"}.
func (s *session) order(ctx context.Context, line []byte) (wrong string) {
	var o struct {
		Do   string  `json:"do"`
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(line, &o); err != nil {
		return `this is no command: write {"do": "name of an action"} or {"text": "what is typed"}`
	}
	if o.Text != nil {
		return s.text(ctx, *o.Text)
	}
	return s.do(ctx, o.Do)
}

// tell says where the curator is now.
func (s *session) tell(wrong string) error {
	now, _ := s.model.now()
	if !s.JSON {
		return s.tellPlain(now, wrong)
	}
	out := json.NewEncoder(s.Out)
	out.SetEscapeHTML(false)
	return out.Encode(struct {
		tui.Situation
		Error string `json:"error,omitempty"`
	}{now, wrong})
}
