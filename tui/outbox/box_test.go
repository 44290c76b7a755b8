package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/outbox"
)

// stub answers acts by a script: answers[key] is taken from the front; without one the act is accepted.
type stub struct {
	mu      sync.Mutex
	answers map[string][]error
	got     []string
	taken   map[string]uuid.UUID // verdict given, and the one taken back by a withdrawal
}

func (s *stub) deliver(_ context.Context, a outbox.Act, verdict uuid.UUID) (outbox.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, a.Key)
	if list := s.answers[a.Key]; len(list) > 0 {
		s.answers[a.Key] = list[1:]
		if list[0] != nil {
			return outbox.Result{}, list[0]
		}
	}
	if a.Kind == outbox.Withdraw {
		s.taken[a.Key] = verdict
		return outbox.Result{Verdict: &api.Verdict{ID: verdict}}, nil
	}
	id := uuid.New()
	s.taken[a.Key] = id
	return outbox.Result{Verdict: &api.Verdict{ID: id}}, nil
}

func open(t *testing.T, path string, s *stub) *outbox.Box {
	t.Helper()
	s.taken = map[string]uuid.UUID{}
	b, err := outbox.Open(outbox.Config{Path: path, Deliver: s.deliver, Sleep: noWait})
	require.NoError(t, err)
	return b
}

// run starts the box and gives a function that stops it.
func run(t *testing.T, b *outbox.Box) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }()
	return func() { cancel(); <-done; require.NoError(t, b.Close()) }
}

func judge(key string) outbox.Act {
	return outbox.Act{Key: key, Kind: outbox.Judge, Verdict: &api.NewVerdict{Disposition: "dismiss"}}
}

// until reads events up to the one that ends the act, and gives them as words.
func until(t *testing.T, b *outbox.Box, key string) []string {
	t.Helper()
	var seen []string
	for {
		e, err := b.Next(t.Context())
		require.NoError(t, err)
		var word string
		last := false
		switch {
		case e.Saved:
			word = "saved"
		case e.Unsaved != nil:
			word, last = "unsaved", true
		case e.Delivered != nil:
			word, last = "delivered", true
		case e.Refused != nil:
			word, last = "refused:"+string(wiki.ErrorCode(e.Refused)), true
		case e.Held.Stuck:
			word = "stuck"
		default:
			word = "held"
		}
		seen = append(seen, e.Act.Key+" "+word)
		if last && e.Act.Key == key {
			return seen
		}
	}
}

func TestActsAreSavedSentInOrderAndStruckOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	s := &stub{answers: map[string][]error{
		"a": {wiki.Errorf(wiki.CodeUnavailable, "away"), errors.New("cable cut"), wiki.Errorf(wiki.CodeKeyExpired, "old")},
		"b": {wiki.Errorf(wiki.CodeStale, "the pair changed")},
	}}
	b := open(t, path, s)
	for _, k := range []string{"a", "b", "c"} {
		b.Add(judge(k))
	}
	stop := run(t, b)
	require.Equal(t, []string{"a saved", "b saved", "c saved", "a held", "a held", "a stuck", "a delivered", "b refused:stale", "c delivered"}, until(t, b, "c"))
	require.Empty(t, b.Pending())
	stop()
	require.Equal(t, []string{"a", "a", "a", "a", "b", "c"}, s.got)

	again := &stub{}
	b = open(t, path, again)
	require.Empty(t, b.Pending(), "nothing is sent twice after a restart")
	require.NoError(t, b.Close())
}

func TestWhatWasNotAnsweredIsSentAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	b := open(t, path, &stub{})
	b.Add(judge("a"))
	b.Add(outbox.Act{Key: "b", Kind: outbox.Withdraw, Of: "a"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b.Run(ended) // saves, sends nothing
	require.NoError(t, b.Close())

	s := &stub{}
	b = open(t, path, s)
	require.Len(t, b.Pending(), 2)
	stop := run(t, b)
	require.Equal(t, []string{"a delivered", "b delivered"}, until(t, b, "b"))
	stop()
	require.Equal(t, s.taken["a"], s.taken["b"], "the withdrawal names the verdict that the server gave to its act")
}

func TestTakingBackARefusedActIsMoot(t *testing.T) {
	t.Parallel()
	s := &stub{answers: map[string][]error{"a": {wiki.Errorf(wiki.CodeClaimed, "held by ana")}}}
	b := open(t, filepath.Join(t.TempDir(), "x.log"), s)
	b.Add(judge("a"))
	b.Add(outbox.Act{Key: "b", Kind: outbox.Withdraw, Of: "a"})
	stop := run(t, b)
	require.Equal(t, []string{"a saved", "b saved", "a refused:claimed", "b refused:not_found"}, until(t, b, "b"))
	stop()
	require.Equal(t, []string{"a"}, s.got)
}

func TestAnInternalErrorIsGivenBackInTheEnd(t *testing.T) {
	t.Parallel()
	fault := wiki.Errorf(wiki.CodeInternal, "error id 7")
	s := &stub{answers: map[string][]error{"a": {fault, fault, fault, fault, fault, fault, fault}}}
	b := open(t, filepath.Join(t.TempDir(), "x.log"), s)
	b.Add(judge("a"))
	stop := run(t, b)
	seen := until(t, b, "a")
	stop()
	require.Equal(t, "a refused:internal", seen[len(seen)-1])
	require.Len(t, s.got, 6)
}

func TestOneProcessHoldsTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	b := open(t, path, &stub{})
	_, err := outbox.Open(outbox.Config{Path: path})
	require.ErrorIs(t, err, outbox.ErrBusy)
	require.ErrorContains(t, err, fmt.Sprint(os.Getpid()))
	require.NoError(t, b.Close())
}

func TestHalfWrittenAndDamagedLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	text := `{"act":{"key":"a","kind":"judge","at":"2026-01-01T00:00:00Z","what":"x"}}` + "\n" +
		"\x00\x00 noise\n" +
		`{"act":{"key":"b","kind":"judge","at":"2026-01-01T00:00:00Z","what":"x"}}` + "\n" +
		`{"done":{"key":"a","at":"2026-01-01T00:00:00Z"}}` + "\n" +
		`{"act":{"key":"c","ki`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	b := open(t, path, &stub{})
	require.Equal(t, 1, b.Damaged())
	require.Len(t, b.Pending(), 1)
	require.Equal(t, "b", b.Pending()[0].Key)
	kept, err := os.ReadFile(path + ".damaged")
	require.NoError(t, err)
	require.Equal(t, text, string(kept), "what could not be read is kept")
	b.Add(judge("d"))
	stop := run(t, b)
	until(t, b, "d")
	stop()
}

func TestAnActThatCannotBeSavedIsNotSent(t *testing.T) {
	t.Parallel()
	s := &stub{}
	b := open(t, filepath.Join(t.TempDir(), "x.log"), s)
	require.NoError(t, b.Close()) // stands for a disk that takes no more
	b.Add(judge("a"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }()
	require.Equal(t, []string{"a unsaved"}, until(t, b, "a"))
	cancel()
	<-done
	require.Empty(t, s.got)
}

func TestPathsHoldNoKeyAndDiffer(t *testing.T) {
	t.Parallel()
	one := outbox.PathFor("/s", "http://a", "wk_12345")
	require.NotContains(t, one, "wk_")
	require.NotEqual(t, one, outbox.PathFor("/s", "http://a", "wk_99999"))
	require.NotEqual(t, one, outbox.PathFor("/s", "http://b", "wk_12345"))
}

func noWait(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
