package eval

import (
	"context"
	"fmt"

	"wiki/core/embedding"
	"wiki/core/search"
	"wiki/core/wiki"
)

// Arm is one way of asking all questions of a set.
type Arm struct {
	Name     string
	Mode     search.Mode
	Settings search.Settings
	Depth    int // documents asked for; 0 = one page of search.MaxLimit
	// Down asks with an embedder that fails, as on the day when the provider is away.
	Down bool
}

// Result is how an arm did.
type Result struct {
	Arm     string            `json:"arm"`
	Mean    Metrics           `json:"mean"`
	Answers map[string]Answer `json:"-"` // by question
}

// Answer is how one question was answered.
type Answer struct {
	Metrics
	Found []string // documents, best first
}

// Asker answers a query with ranked hits; the search service is one.
type Asker interface {
	Search(ctx context.Context, actor wiki.Actor, q search.Query) (search.Page, error)
}

// Run asks every question in one arm. show may be nil.
func (l *Loaded) Run(ctx context.Context, arm Arm, show func(Progress)) (Result, error) {
	embedder := l.embedder
	if arm.Down {
		embedder = down{embedder}
	}
	return l.ask(ctx, arm, search.New(l.db, embedder, arm.Settings), show)
}

func (l *Loaded) ask(ctx context.Context, arm Arm, asker Asker, show func(Progress)) (Result, error) {
	r := Result{Arm: arm.Name, Answers: map[string]Answer{}}
	m := newMeter(len(l.set.Questions), show)
	all := make([]Metrics, 0, len(l.set.Questions))
	for _, q := range l.set.Questions {
		found, err := l.answer(ctx, arm, asker, q.Text)
		if err != nil {
			return r, stopped(ctx, fmt.Errorf("question %s: %w", q.ID, err))
		}
		a := Answer{Metrics: score(found, q.Relevant), Found: found}
		r.Answers[q.ID] = a
		all = append(all, a.Metrics)
		m.step(1)
	}
	r.Mean = mean(all)
	return r, nil
}

// stopped says it plainly when the caller ended the measurement.
func stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &wiki.Error{
		Code: wiki.CodeUnavailable, Message: "the measurement was stopped; the throwaway tenant is deleted",
		Remedy: "run it again: what was embedded is kept", Err: ctx.Err(),
	}
}

// answer gives the documents that a question finds. A page that was answered otherwise than the arm asks is an error: its
// numbers would be another arm's.
func (l *Loaded) answer(ctx context.Context, arm Arm, asker Asker, text string) ([]string, error) {
	var found []string
	for offset := 0; offset < max(arm.Depth, search.MaxLimit); offset += search.MaxLimit {
		page, err := asker.Search(ctx, l.actor, search.Query{Text: text, Mode: arm.Mode, Limit: search.MaxLimit, Offset: offset})
		if err != nil {
			return nil, err
		}
		if page.Degraded != arm.Down {
			return nil, wiki.Errorf(wiki.CodeInternal, "the answer is of another arm: mode %s, %s", page.Mode, page.DegradedReason)
		}
		for _, h := range page.Hits {
			found = append(found, l.names[h.ID])
		}
		if !page.HasMore {
			break
		}
	}
	return found, nil
}

// down is an embedder that fails at queries.
type down struct{ embedding.Embedder }

func (down) EmbedQuery(context.Context, string) ([]float32, error) {
	e := wiki.Errorf(wiki.CodeSemanticDown, "the embedder is away for this arm")
	e.Details = map[string]any{"reason": embedding.ReasonUnreachable}
	return nil, e
}
