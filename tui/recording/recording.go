// Package recording keeps what was typed in a session, and types it again: to show what happened, or to try it on another
// server. A recording holds keys, pasted text and sizes of the window, a line each, and nothing that the server said.
package recording

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	maxLineBytes = 4 << 20 // of a recording: a pasted text is a line
	maxEntries   = 1_000_000
)

// Entry is one thing that came from the terminal. Exactly one of Key, Paste and Size is there.
type Entry struct {
	AfterMS int64   `json:"after_ms"` // since the start of the session
	Key     *Key    `json:"key,omitempty"`
	Paste   *string `json:"paste,omitempty"`
	Size    *[2]int `json:"size,omitempty"` // columns, rows
}

// Key is a key press as the terminal told it.
type Key struct {
	Name    string     `json:"name"` // for people: what is typed again is the rest
	Text    string     `json:"text,omitempty"`
	Code    rune       `json:"code"`
	Mod     tea.KeyMod `json:"mod,omitempty"`
	Shifted rune       `json:"shifted,omitempty"`
	Base    rune       `json:"base,omitempty"`
	Repeat  bool       `json:"repeat,omitempty"`
}

// entryOf makes an entry of a message; false for one that did not come from a person.
func entryOf(msg tea.Msg) (Entry, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := tea.Key(msg)
		return Entry{Key: &Key{Name: msg.String(), Text: k.Text, Code: k.Code, Mod: k.Mod, Shifted: k.ShiftedCode, Base: k.BaseCode, Repeat: k.IsRepeat}}, true
	case tea.PasteMsg:
		return Entry{Paste: &msg.Content}, true
	case tea.WindowSizeMsg:
		return Entry{Size: &[2]int{msg.Width, msg.Height}}, true
	}
	return Entry{}, false
}

// message is entryOf backwards.
func (e Entry) message() tea.Msg {
	switch {
	case e.Key != nil:
		k := e.Key
		return tea.KeyPressMsg{Text: k.Text, Code: k.Code, Mod: k.Mod, ShiftedCode: k.Shifted, BaseCode: k.Base, IsRepeat: k.Repeat}
	case e.Paste != nil:
		return tea.PasteMsg{Content: *e.Paste}
	}
	return tea.WindowSizeMsg{Width: e.Size[0], Height: e.Size[1]}
}

// Recorder writes a recording.
type Recorder struct {
	now   func() time.Time
	start time.Time

	mu  sync.Mutex
	out io.Writer
	err error
}

// Record starts a recording.
func Record(out io.Writer, now func() time.Time) *Recorder {
	return &Recorder{now: now, start: now(), out: out}
}

// Filter looks at a message on its way to the model and lets it through; it is for tea.WithFilter.
func (r *Recorder) Filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if e, typed := entryOf(msg); typed {
		e.AfterMS = r.now().Sub(r.start).Milliseconds()
		r.write(e)
	}
	return msg
}

func (r *Recorder) write(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(e)
	if err == nil && r.err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// Err is why the recording is not whole, nil when it is.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Read reads a recording. The error names the line at fault.
func Read(in io.Reader) ([]Entry, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLineBytes)
	var entries []Entry
	for n := 1; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d of the recording is none: %w", n, err)
		}
		if (e.Key == nil) == (e.Paste == nil) && e.Size == nil || e.Size != nil && (e.Key != nil || e.Paste != nil) {
			return nil, fmt.Errorf("line %d of the recording has not exactly one of key, paste and size", n)
		}
		if len(entries) == maxEntries {
			return nil, fmt.Errorf("the recording has over %d lines", maxEntries)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the recording cannot be read: %w", err)
	}
	return entries, nil
}

// Play sends a recording at the pace at which it was typed, so that what was looked at then has arrived now too. It ends with
// the recording or the context.
func Play(ctx context.Context, entries []Entry, send func(tea.Msg)) {
	start := time.Now()
	for _, e := range entries {
		wait := time.NewTimer(time.Until(start.Add(time.Duration(e.AfterMS) * time.Millisecond)))
		select {
		case <-wait.C:
			send(e.message())
		case <-ctx.Done():
			wait.Stop()
			return
		}
	}
}
