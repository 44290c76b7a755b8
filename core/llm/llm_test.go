package llm_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/llm"
	"wiki/core/llm/llmtest"
	"wiki/core/remote"
	"wiki/core/wiki"
)

// clock is a clock that only sleeping moves.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.slept, c.now = append(c.slept, d), c.now.Add(d)
	return ctx.Err()
}

func echo(q llmtest.Question) string { return "heard: " + q.Messages[len(q.Messages)-1].Content }

func chat(t *testing.T, s *llmtest.Service, change ...func(*llm.Config)) (*llm.Chat, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	cfg := llm.Config{BaseURL: s.URL + "/v1/", Model: "some-model", Key: llmtest.Key, Now: c.Now, Sleep: c.Sleep}
	for _, f := range change {
		f(&cfg)
	}
	made, err := llm.New(cfg)
	require.NoError(t, err)
	return made, c
}

func fails(t *testing.T, c *llm.Chat, reason remote.Reason) *remote.Error {
	t.Helper()
	_, err := c.Ask(t.Context(), "Repeat.", "a text")
	var e *remote.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, reason, e.Reason, "%v", err)
	require.NotContains(t, err.Error(), llmtest.Key)
	return e
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, echo)
	c, _ := chat(t, s, func(cfg *llm.Config) { cfg.MaxOutput = 77 })
	got, err := c.Ask(t.Context(), "Repeat.", "Zürich \u2028 \"7\"")
	require.NoError(t, err)
	require.Equal(t, "heard: Zürich \u2028 \"7\"", got)
	q := s.Asked()[0]
	require.Equal(t, "some-model", q.Model)
	require.Equal(t, 77, q.MaxTokens)
	require.False(t, q.Stream)
	require.Equal(t, "system", q.Messages[0].Role)
	require.Equal(t, "Repeat.", q.Messages[0].Content)
	require.Equal(t, "user", q.Messages[1].Role)
}

func TestThoughtsAreNoAnswer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, echo, llmtest.Say("\n<think>Hm, 7?</think>\nIt is 8.", "stop"), llmtest.Say("<think>Hm", "stop"))
	c, _ := chat(t, s)
	got, err := c.Ask(t.Context(), "Repeat.", "a text")
	require.NoError(t, err)
	require.Equal(t, "It is 8.", strings.TrimSpace(got))
	fails(t, c, llm.Empty)
}

func TestWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		fault  http.HandlerFunc
		reason remote.Reason
	}{
		"cut off":           {llmtest.Say("half a", "length"), llm.Truncated},
		"filtered":          {llmtest.Say("", "content_filter"), llm.Declined},
		"refusing":          {llmtest.Raw(`{"choices":[{"message":{"content":null,"refusal":"I can't."},"finish_reason":"stop"}]}`), llm.Declined},
		"empty":             {llmtest.Say("", "stop"), llm.Empty},
		"blank":             {llmtest.Say(" \n\t", "stop"), llm.Empty},
		"null":              {llmtest.Raw(`{"choices":[{"message":{"content":null}}]}`), llm.Empty},
		"a call of a tool":  {llmtest.Say("x", "tool_calls"), remote.BadAnswer},
		"no choice":         {llmtest.Raw(`{"choices":[]}`), remote.BadAnswer},
		"not JSON":          {llmtest.Raw("<html>" + llmtest.Key), remote.BadAnswer},
		"half of its JSON":  {llmtest.Raw(`{"choices":[{"message":{"content":"a`), remote.BadAnswer},
		"another shape":     {llmtest.Raw(`{"choices":[{"message":{"content":["a"]}}]}`), remote.BadAnswer},
		"not UTF-8":         {llmtest.Raw("{\"choices\":[{\"message\":{\"content\":\"a\xff\"}}]}"), remote.BadAnswer},
		"huge":              {llmtest.Say(strings.Repeat("a", 5<<20), "stop"), remote.BadAnswer},
		"an error with 200": {llmtest.Raw(`{"error":{"message":"` + llmtest.Key + `"}}`), remote.BadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, echo, x.fault)
			c, _ := chat(t, s)
			fails(t, c, x.reason)
			require.Len(t, s.Asked(), 1, "the same question would get the same answer")
		})
	}
}

func TestPassingFailuresAreTriedAgainAndFinalOnesAreNot(t *testing.T) {
	t.Parallel()
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, fault := range map[string]http.HandlerFunc{
		"500": llmtest.Status(500), "503": llmtest.Status(503), "429": llmtest.Status(429), "hang-up": hangUp,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, clock := chat(t, llmtest.New(t, echo, slices.Repeat([]http.HandlerFunc{fault}, 2)...))
			_, err := c.Ask(t.Context(), "Repeat.", "a text")
			require.NoError(t, err)
			require.Equal(t, []time.Duration{remote.DefaultBackoff, 2 * remote.DefaultBackoff}, clock.slept)
		})
	}
	for _, status := range []int{400, 401, 402, 404, 413, 422} {
		s := llmtest.New(t, echo, llmtest.Status(status))
		c, _ := chat(t, s)
		fails(t, c, remote.Refused)
		require.Len(t, s.Asked(), 1, status)
	}
}

// Case 64: retries spent in 2 s against a 60 s limit window.
func TestAPauseThatTheServiceAsksForIsKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, echo, llmtest.Status(429, "Retry-After", "7"))
	c, clock := chat(t, s)
	_, err := c.Ask(t.Context(), "Repeat.", "a text")
	require.NoError(t, err)
	require.Equal(t, []time.Duration{7 * time.Second}, clock.slept)

	s = llmtest.New(t, echo, llmtest.Status(429, "Retry-After", "3600"))
	c, clock = chat(t, s)
	for range 2 {
		require.Equal(t, time.Hour, fails(t, c, remote.RateLimited).RetryAfter, "no question waits longer than its bound")
	}
	require.Len(t, s.Asked(), 1)
	require.Empty(t, clock.slept)
}

func TestASlowServiceIsBounded(t *testing.T) {
	t.Parallel()
	trickle := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, fault := range map[string]http.HandlerFunc{"silent": llmtest.Hang, "stuck": trickle} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := chat(t, llmtest.New(t, echo, fault), func(cfg *llm.Config) { cfg.Timeout = 100 * time.Millisecond })
			fails(t, c, remote.Timeout)
		})
	}
	c, _ := chat(t, llmtest.New(t, echo, llmtest.Hang))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := c.Ask(ctx, "Repeat.", "a text")
	require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's own bound")
}

func TestABrokenServiceIsLeftAloneAndADecliningOneIsNot(t *testing.T) {
	t.Parallel()
	broken := llmtest.New(t, echo, slices.Repeat([]http.HandlerFunc{llmtest.Status(401)}, remote.DefaultFailures)...)
	c, clock := chat(t, broken)
	for range remote.DefaultFailures {
		fails(t, c, remote.Refused)
	}
	fails(t, c, remote.Open)
	require.Len(t, broken.Asked(), remote.DefaultFailures)
	clock.now = clock.now.Add(remote.DefaultOpen)
	_, err := c.Ask(t.Context(), "Repeat.", "a text")
	require.NoError(t, err)

	declining := llmtest.New(t, echo, llmtest.Say("", "content_filter"), llmtest.Say("a", "length"), llmtest.Say("", "stop"))
	c, _ = chat(t, declining)
	for _, reason := range []remote.Reason{llm.Declined, llm.Truncated, llm.Empty} {
		fails(t, c, reason)
	}
	_, err = c.Ask(t.Context(), "Repeat.", "a text")
	require.NoError(t, err)
}

func TestAQuestionThatIsTooLongIsNotSent(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, echo)
	c, _ := chat(t, s, func(cfg *llm.Config) { cfg.MaxInput = 12 })
	fails(t, c, llm.TooLong)
	require.Empty(t, s.Asked())
	_, err := c.Ask(t.Context(), "Repeat.", "a tex")
	require.NoError(t, err)
}

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]llm.Config{
		"llm-url": {BaseURL: "localhost:1", Model: "m"}, "llm-model": {BaseURL: "http://localhost:1"},
		"llm-max-input": {BaseURL: "http://localhost:1", Model: "m", MaxInput: -1},
	} {
		_, err := llm.New(cfg)
		var e *wiki.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, field, e.Field)
	}
}
