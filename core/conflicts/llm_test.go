package conflicts_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/llm"
	"wiki/core/llm/llmtest"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// pages are two that contradict each other, and a merged text that says all that both say.
const (
	firstBody  = "The booking service was down for 74 minutes. See [[Migrations]].\n"
	secondBody = "The booking service was down for 47 minutes: `lock_timeout` was not set.\n"
	bothBody   = "The booking service was down for 74 minutes, or for 47 minutes: `lock_timeout` was not set. See [[Migrations]].\n"
)

func writes(text string) func(llmtest.Question) string {
	return func(llmtest.Question) string { return text }
}

// merging is a world with a language model and a pair whose merge waits.
func merging(t *testing.T, answer func(llmtest.Question) string, faults ...http.HandlerFunc) (w *world, s *llmtest.Service, a, b wiki.Article) {
	t.Helper()
	w = newWorld(t)
	s = llmtest.New(t, answer, faults...)
	w.talksTo(t, s, llm.Config{})
	a = w.article(t, w.agent, func(x *wiki.Article) { x.Title, x.Body = "Outage", firstBody })
	b = w.article(t, w.agent, func(x *wiki.Article) { x.Title, x.Body = "Review", secondBody })
	w.flag(t, a, b, 0.95)
	w.judge(t, w.user, merge(a, b))
	return w, s, a, b
}

func (w *world) talksTo(t *testing.T, s *llmtest.Service, cfg llm.Config) {
	t.Helper()
	cfg.BaseURL, cfg.Model, cfg.Key = s.URL+"/v1", "some-model", llmtest.Key
	var err error
	w.LLM, err = llm.New(cfg)
	require.NoError(t, err)
}

// merged executes what waits and gives the draft of the one merge, with what the log says of its making.
func (w *world) merged(t *testing.T) (wiki.Article, map[string]any) {
	t.Helper()
	require.Equal(t, 1, w.execute(t).Executed)
	var made wiki.Article
	var entries []audit.Record
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if made, err = articles.ByTitle(ctx, tx, w.user, "Outage (merged)", ""); err != nil {
			return err
		}
		entries, err = audit.List(ctx, tx, w.user, audit.Filter{Act: "article.create", Subject: made.ID, Limit: 1})
		return err
	}))
	require.Equal(t, wiki.StatusDraft, made.Status)
	require.Len(t, entries, 1)
	return made, entries[0].Detail
}

func TestTheLanguageModelWritesAMerge(t *testing.T) {
	t.Parallel()
	w, s, a, b := merging(t, writes(bothBody))
	made, detail := w.merged(t)
	require.Equal(t, bothBody, made.Body)
	for _, said := range []map[string]any{made.Metadata, detail} {
		require.Equal(t, "llm", said["merge_method"])
		require.Equal(t, "some-model", said["merge_model"])
		require.NotContains(t, said, "merge_fallback")
	}
	for _, side := range []wiki.Article{a, b} {
		require.Equal(t, wiki.StatusPublished, w.stands(t, side.ID).Status, "neither is retired")
	}
	require.Len(t, s.Asked(), 1)
	var sent struct{ Lead, Other struct{ Title, Body string } }
	require.NoError(t, json.Unmarshal([]byte(s.Asked()[0].Messages[1].Content), &sent), "the pages are data")
	require.Equal(t, []string{"Outage", firstBody, "Review", secondBody}, []string{sent.Lead.Title, sent.Lead.Body, sent.Other.Title, sent.Other.Body})
	require.Equal(t, 1, w.number(t, `select count(*) from article_embeddings e join articles a on a.id = e.article_id where a.title = 'Outage (merged)'`), "it has its vector")
}

func TestWithoutALanguageModelNothingIsSaidOfOne(t *testing.T) {
	t.Parallel()
	w, s, _, _ := merging(t, writes(bothBody))
	w.LLM = nil
	made, detail := w.merged(t)
	require.Empty(t, s.Asked())
	require.Equal(t, wiki.MergeBodies(firstBody, secondBody, "Review"), made.Body)
	for _, said := range []map[string]any{made.Metadata, detail} {
		for _, key := range []string{"merge_method", "merge_model", "merge_fallback"} {
			require.NotContains(t, said, key)
		}
	}
}

// Case 26: a refusal of the model was kept as content and the sources were consumed. Whatever the model does, the merge is
// made of the pages' own lines, says why, and the pages stand.
func TestCase26AMergeDoesWithoutAModelThatFails(t *testing.T) {
	t.Parallel()
	thrice := func(fault http.HandlerFunc) []http.HandlerFunc { return []http.HandlerFunc{fault, fault, fault} }
	for name, x := range map[string]struct {
		faults []http.HandlerFunc
		why    string
	}{
		"silent":             {thrice(llmtest.Hang), "did not answer within"},
		"broken":             {thrice(llmtest.Status(500)), "failed (status 500)"},
		"busy for an hour":   {thrice(llmtest.Status(429, "Retry-After", "3600")), "asks to wait 1h"},
		"a wrong key":        {thrice(llmtest.Status(401)), "check its key"},
		"not JSON":           {thrice(llmtest.Raw("<html>")), "is not that of a chat"},
		"empty":              {thrice(llmtest.Say(" ", "stop")), "is empty"},
		"cut off":            {thrice(llmtest.Say(bothBody, "length")), "was cut off"},
		"filtered":           {thrice(llmtest.Say("", "content_filter")), "withheld"},
		"huge":               {thrice(llmtest.Say(strings.Repeat(bothBody, 100_000), "stop")), "larger than"},
		"long":               {thrice(llmtest.Say(strings.Repeat(bothBody, 1000), "stop")), "more than the pages"},
		"refusing":           {thrice(llmtest.Say("I'm sorry, I can't help with that.", "stop")), "leaves out"},
		"forgetting a side":  {thrice(llmtest.Say(firstBody, "stop")), "leaves out"},
		"choosing a winner":  {thrice(llmtest.Say(strings.Replace(bothBody, ", or for 47 minutes", "", 1), "stop")), `"47 minutes"`},
		"inventing":          {thrice(llmtest.Say(bothBody+"It cost 9000 dollars.\n", "stop")), `"9000"`},
		"a NUL in its text":  {thrice(llmtest.Say(bothBody+"\x00", "stop")), "NUL"},
		"half a character":   {thrice(llmtest.Raw(`{"choices":[{"message":{"content":"` + strings.TrimSpace(bothBody) + `\ud800"}}]}`)), "lost characters"},
		"bytes of no UTF-8":  {thrice(llmtest.Raw("{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}")), "not UTF-8"},
		"a call of its tool": {thrice(llmtest.Say("", "tool_calls")), "did not answer with a text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s, a, b := merging(t, writes(bothBody), x.faults...)
			w.talksTo(t, s, llm.Config{Timeout: 2 * time.Second, Sleep: func(context.Context, time.Duration) error { return nil }})
			made, detail := w.merged(t)
			require.Equal(t, wiki.MergeBodies(firstBody, secondBody, "Review"), made.Body)
			for _, said := range []map[string]any{made.Metadata, detail} {
				require.Equal(t, "structural", said["merge_method"])
				require.Contains(t, said["merge_fallback"], x.why)
				require.NotContains(t, said["merge_fallback"], llmtest.Key)
			}
			require.Equal(t, a.Body, w.stands(t, a.ID).Body)
			require.Equal(t, wiki.StatusPublished, w.stands(t, b.ID).Status)
		})
	}
}

// The text is made before the transaction: it holds no pair while the model thinks, and a text of pages that were changed
// meanwhile is not kept.
func TestATextOfOtherVersionsIsNotTaken(t *testing.T) {
	t.Parallel()
	var w *world
	var b wiki.Article
	w, _, _, b = merging(t, func(llmtest.Question) string {
		tags := []string{"seen"}
		_, err := w.Record.Update(context.Background(), w.agent, b.ID, 0, record.Patch{Tags: &tags}, "")
		if err != nil {
			t.Errorf("the pages are free while the model writes: %v", err)
		}
		return bothBody
	})
	made, _ := w.merged(t)
	require.Equal(t, wiki.MergeBodies(firstBody, secondBody, "Review"), made.Body)
	require.Contains(t, made.Metadata["merge_fallback"], "no longer those")
	require.Contains(t, made.Tags, "seen")
}

// A caller with little time is answered in it: what cannot be done in it is left for the next call.
func TestAnExecutionEndsWithItsCallersTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := llmtest.New(t, writes(bothBody))
	w.talksTo(t, s, llm.Config{})
	a, b := w.flagged(t)
	w.judge(t, w.user, keep(a, b))
	c, d := w.flagged(t)
	w.judge(t, w.user, merge(c, d))
	e, f := w.flagged(t)
	w.judge(t, w.user, keep(e, f))
	soon, cancel := context.WithTimeout(t.Context(), llm.DefaultTimeout)
	defer cancel()
	tally, err := w.Execute(soon, w.user, 0)
	require.NoError(t, err)
	require.Equal(t, 1, tally.Executed)
	require.Equal(t, 2, tally.Left)
	require.True(t, tally.Cut)
	tally, err = w.Execute(soon, w.user, 0)
	require.NoError(t, err)
	require.Zero(t, tally.Executed, "it is not made without its model for want of time")
	require.Empty(t, s.Asked())
	require.Equal(t, 2, w.execute(t).Executed)
	require.Len(t, s.Asked(), 1)
}

// Two executors may both have asked the model; the merge is made once.
func TestAMergeThatTwoComposeIsMadeOnce(t *testing.T) {
	t.Parallel()
	both := make(chan struct{}, 2)
	w, _, _, _ := merging(t, func(llmtest.Question) string {
		both <- struct{}{}
		for len(both) < 2 {
			time.Sleep(time.Millisecond)
		}
		return bothBody
	})
	executed := make(chan int, 2)
	for range 2 {
		go func() {
			tally, err := w.Execute(context.Background(), w.user, 0)
			if err != nil {
				t.Error(err)
			}
			executed <- tally.Executed
		}()
	}
	require.Equal(t, 1, <-executed+<-executed)
	require.Equal(t, 1, w.number(t, `select count(*) from articles where title like 'Outage (merged%'`))
}
