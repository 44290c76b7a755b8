package main

import (
	"context"
	"errors"
	"time"

	"wiki/core/conflicts"
	"wiki/core/llm"
	"wiki/core/remote"
	"wiki/core/wiki"
)

// languageModel gives the model of the settings, nil when there is none: the wiki does without (SPEC §8).
func (a *app) languageModel() (*llm.Chat, error) {
	s := a.settings
	if s.LLMURL == "" {
		return nil, nil
	}
	if longest := s.RequestTimeout - 2*conflicts.ExecuteReserve; s.LLMTimeout > longest {
		return nil, wiki.Invalid("llm-timeout", "llm-timeout may be at most %s: a request that waits for the model ends after request-timeout, %s", longest, s.RequestTimeout)
	}
	return llm.New(llm.Config{
		BaseURL: s.LLMURL, Model: s.LLMModel, Key: s.LLMKey, Timeout: s.LLMTimeout, MaxInput: s.LLMMaxInput, MaxOutput: s.LLMMaxOutput,
	})
}

func (a *app) checkLanguageModel(ctx context.Context) finding {
	const check = "llm"
	model, err := a.languageModel()
	switch {
	case err != nil:
		return bad(check, err, "")
	case model == nil:
		return good(check, "none is configured: merged drafts are put together by their sections")
	}
	begun := time.Now()
	if _, err := model.Ask(ctx, "Answer with one word.", "Are you there?"); err != nil && !answered(err) {
		return bad(check, err, "correct llm-url, llm-model and llm-key; without llm-url no language model is used")
	}
	return good(check, "%s answers in %s", model.Model(), time.Since(begun).Round(time.Millisecond))
}

// answered tells an answer that is of no use from a service that is.
func answered(err error) bool {
	var e *remote.Error
	return errors.As(err, &e) && (e.Reason == llm.Empty || e.Reason == llm.Declined || e.Reason == llm.Truncated)
}
