package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/fake"
	"wiki/tui/later"
	"wiki/tui/queue"
)

// longQueue is how many pairs the benchmarks load; largeBody how many bytes each article of the pair on screen has.
const (
	longQueue = 100_000
	largeBody = 500_000
)

// benchModel is a workbench at 120x40 with a long queue, and a pair of the largest articles open.
func benchModel(b *testing.B) *Model {
	b.Helper()
	server := fake.New(func() time.Time { return start })
	large := fake.Sample(0, start)
	left := strings.Repeat("The gateway listens on port 8080 and is restarted after a change of its settings.\n\n", largeBody/82)
	right := strings.ReplaceAll(left, "8080 and is", "8081 and is now")
	large.First.Body, large.Second.Body = &left, &right
	server.Add(large)
	m := New(b.Context(), Config{
		Remote: idle{server}, Acts: &heldActs{}, Later: &later.Store{}, Keys: action.Default(),
		Now: func() time.Time { return start }, NewKey: func() string { return "k" },
	})
	m.Env().After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	page := queue.Page{Open: longQueue}
	for i := range longQueue {
		c := large.Conflict
		if i > 0 {
			c = fake.Sample(i, start).Conflict
			c.ID = fmt.Sprintf("pair-%d", i)
		} else {
			c.ID = large.First.ID.String() + "." + large.Second.ID.String()
		}
		c.State = "open"
		page.Rows = append(page.Rows, c)
	}
	m.queue.Queue.Replace(page, nil)
	m.who = api.Whoami{Tenant: "demo", Principal: "curator", Role: "user"}
	return m
}

// BenchmarkKeyToFrame measures from a key to the text of the frame that it leads to.
func BenchmarkKeyToFrame(b *testing.B) {
	b.Run("queue of 100,000", func(b *testing.B) {
		m := benchModel(b)
		_ = m.View()
		for b.Loop() {
			m.Update(keyOf("j"))
			_ = m.View()
		}
	})
	b.Run("dismiss in a queue of 100,000", func(b *testing.B) {
		m := benchModel(b)
		_ = m.View()
		for b.Loop() {
			m.Update(keyOf("a"))
			_ = m.View()
		}
	})
	b.Run("two articles of 500 kB", func(b *testing.B) {
		m := benchModel(b)
		settleAll(m, m.pair.Prefetch([]string{m.queue.Queue.Row(0).ID}))
		m.showPair(m.queue.Queue.Row(0).ID)
		_ = m.View()
		b.ResetTimer()
		for b.Loop() {
			m.Update(keyOf("j"))
			_ = m.View()
		}
	})
}

// settleAll runs a command and what comes of it.
func settleAll(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			settleAll(m, c)
		}
		return
	}
	_, next := m.Update(msg)
	settleAll(m, next)
}

// BenchmarkFirstFrame measures from nothing to the text of the first frame, which waits for no answer.
func BenchmarkFirstFrame(b *testing.B) {
	server := fake.New(func() time.Time { return start })
	for b.Loop() {
		m := New(context.Background(), Config{
			Remote: idle{server}, Acts: &heldActs{}, Later: &later.Store{}, Keys: action.Default(),
			Now: func() time.Time { return start }, NewKey: func() string { return "k" },
		})
		m.Init()
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		_ = m.View()
	}
}
