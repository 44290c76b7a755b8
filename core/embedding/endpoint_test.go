package embedding_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
	"wiki/core/remote"
	"wiki/core/wiki"
)

// clock is a clock that only sleeping moves.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept, c.now = append(c.slept, d), c.now.Add(d)
	return ctx.Err()
}

func zeros(n int) []float32 { return make([]float32, n) }

// down asserts that err says why the semantic lane is down, without the key.
func requireDown(t *testing.T, err error, reason string) {
	t.Helper()
	var e *wiki.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, wiki.CodeSemanticDown, e.Code)
	require.Equal(t, reason, e.Details["reason"], "%v", err)
	require.NotContains(t, err.Error(), secret)
}

func TestPermanentRefusalIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 401, 402, 403, 404, 413, 422} {
		s, c := newService(t, status(code)), newClock()
		_, err := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep}).Embed(context.Background(), []string{"a"})
		requireDown(t, err, embedding.ReasonRefused)
		require.Len(t, s.requests(), 1, "status %d", code)
		require.Empty(t, c.slept)
	}
}

func TestPassingFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, fault := range map[string]http.HandlerFunc{"500": status(500), "503": status(503), "429": status(429), "408": status(408), "hang-up": hangUp} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newService(t, slices.Repeat([]http.HandlerFunc{fault}, 2)...), newClock()
			docs, err := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep}).Embed(context.Background(), []string{"a"})
			require.NoError(t, err)
			require.Len(t, docs, 1)
			require.Equal(t, []time.Duration{remote.DefaultBackoff, 2 * remote.DefaultBackoff}, c.slept)
		})
	}
	s, c := newService(t, slices.Repeat([]http.HandlerFunc{status(500)}, 4)...), newClock()
	_, err := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep}).Embed(context.Background(), []string{"a"})
	requireDown(t, err, embedding.ReasonUnreachable)
	require.Len(t, s.requests(), remote.DefaultAttempts)
}

// Case 64: retries spent in 2 s against a 60 s limit window.
func TestRetryAfterIsHonouredByAllCallers(t *testing.T) {
	t.Parallel()
	c := newClock()
	date := c.now.Add(20 * time.Second).Format(http.TimeFormat)
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "1.5": 1500 * time.Millisecond, date: 20 * time.Second} {
		s, c := newService(t, status(429, "Retry-After", header)), newClock()
		_, err := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep}).Embed(context.Background(), []string{"a"})
		require.NoError(t, err)
		require.Equal(t, []time.Duration{want}, c.slept, header)
	}
	s := newService(t, status(429, "Retry-After", "3600"))
	e := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep})
	for range 2 { // the second doesn't even ask
		_, err := e.Embed(context.Background(), []string{"a"})
		requireDown(t, err, embedding.ReasonRateLimited)
	}
	_, err := e.EmbedQuery(context.Background(), "a")
	var coded *wiki.Error
	require.ErrorAs(t, err, &coded)
	require.Equal(t, time.Hour, coded.RetryAfter)
	require.Len(t, s.requests(), 1)
	require.Empty(t, c.slept)
}

func TestPauseLongerThanTheCallersDeadlineFailsAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t, status(429, "Retry-After", "30"))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := s.endpoint(t, embedding.EndpointConfig{}).Embed(ctx, []string{"a"})
	requireDown(t, err, embedding.ReasonRateLimited)
}

func TestBadAnswerIsRefused(t *testing.T) {
	t.Parallel()
	one := func(numbers string) http.HandlerFunc {
		return text(`{"data":[{"index":0,"embedding":[` + numbers + `]}]}`)
	}
	nulls := strings.TrimSuffix(strings.Repeat("null,", 384), ",")
	huge := strings.TrimSuffix(strings.Repeat("1e60,", 384), ",")
	for name, fault := range map[string]http.HandlerFunc{
		"not JSON":         text("<html>" + secret),
		"no data":          text("{}"),
		"short":            one("0.1,0.2"),
		"NaN as null":      one(nulls),
		"NaN":              one("NaN"),
		"overflow":         one(huge),
		"infinite":         one("1e999"),
		"zero vector":      func(w http.ResponseWriter, _ *http.Request) { answer(w, []item{{0, zeros(384)}}) },
		"too many":         func(w http.ResponseWriter, _ *http.Request) { answer(w, []item{{0, zeros(384)}, {1, zeros(384)}}) },
		"index past end":   func(w http.ResponseWriter, _ *http.Request) { answer(w, []item{{1, zeros(384)}}) },
		"negative index":   func(w http.ResponseWriter, _ *http.Request) { answer(w, []item{{-1, zeros(384)}}) },
		"other dimensions": func(w http.ResponseWriter, _ *http.Request) { answer(w, []item{{0, zeros(385)}}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, fault)
			_, err := s.endpoint(t, embedding.EndpointConfig{}).Embed(context.Background(), []string{"a"})
			requireDown(t, err, embedding.ReasonBadAnswer)
			require.Len(t, s.requests(), 1, "the same question would get the same answer")
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s, c := newService(t), newClock()
	e := s.endpoint(t, embedding.EndpointConfig{Now: c.Now, Sleep: c.Sleep})
	s.Close()
	_, err := e.EmbedQuery(context.Background(), "a")
	requireDown(t, err, embedding.ReasonUnreachable)
	require.NotContains(t, err.Error(), s.URL)
}

func TestSilentServiceIsBoundedByTheGuard(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newService(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	e := embedding.Guard(s.endpoint(t, embedding.EndpointConfig{}), embedding.GuardConfig{Timeout: 50 * time.Millisecond})
	_, err := e.EmbedQuery(context.Background(), "a")
	requireDown(t, err, embedding.ReasonTimeout)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	e := s.endpoint(t, embedding.EndpointConfig{BatchInputs: 3, BatchBytes: 20})
	docs, err := e.Embed(context.Background(), []string{"one", "two", "three", "four", "a text of more than twenty bytes", "five"})
	require.NoError(t, err)
	require.Len(t, docs, 6)
	var sizes []int
	for _, r := range s.requests() {
		require.Zero(t, r.Dimensions)
		require.Equal(t, "local-minilm", r.Model)
		sizes = append(sizes, len(r.Input))
	}
	require.Equal(t, []int{3, 1, 1, 1}, sizes)
}

// Case 70: a text is never cut inside a character. Case 77: a long text is cut, not refused.
func TestLongTextIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	e := s.endpoint(t, embedding.EndpointConfig{MaxTokens: 50})
	docs, err := e.Embed(context.Background(), []string{strings.Repeat("日本語のテキスト", 40), strings.Repeat("word by word ", 30), strings.Repeat(" ", 1000) + "x"})
	require.NoError(t, err)
	require.Greater(t, len(docs[0].Sections), 5)
	require.Greater(t, len(docs[1].Sections), 2)
	require.Empty(t, docs[2].Sections, "blanks are not a section")
	for _, r := range s.requests() {
		for _, input := range r.Input {
			require.True(t, utf8.ValidString(input))
			require.LessOrEqual(t, len(input), 100)
			if strings.HasPrefix(input, "w") {
				require.True(t, strings.HasSuffix(input, " "), "cut between words: %q", input)
			}
		}
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]embedding.EndpointConfig{
		"base_url":   {BaseURL: "api.example.org", Model: "bge-m3"},
		"model":      {BaseURL: "http://localhost"},
		"dimensions": {BaseURL: "http://localhost", Model: "unheard-of"},
	} {
		_, err := embedding.NewEndpoint(cfg)
		var e *wiki.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, field, e.Field)
	}
	_, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: "http://x", Model: "bge-m3", Dims: 512})
	require.ErrorContains(t, err, "1024")
	e, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: "http://x", Model: "text-embedding-3-small", Dims: 512, DuplicateAt: 0.95})
	require.NoError(t, err)
	require.Equal(t, "text-embedding-3-small@512", e.Model().ID)
	require.Equal(t, 512, e.Model().Dims)
	require.Equal(t, 0.95, e.Model().DuplicateAt)
	require.Equal(t, 0.88, e.Model().LowNoveltyAt)
}
