package nightly

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/conflicts"
	"wiki/core/wiki"
)

// maxRaised is how many pairs one night puts into a tenant's queue, or takes out of it (facts §6).
const maxRaised = 500

// Conflicts is the consumer that goes through all published articles for pairs that the gate of no writer has seen: alike,
// and not in the queue. A flag whose texts came apart lapses. It takes as many nights as it needs, and begins again.
func Conflicts(s conflicts.Service) Consumer {
	return Consumer{
		Name: "conflicts", Does: "puts pairs that may contradict each other into the queue",
		Budget: wiki.NightBudget{Count: maxRaised, Time: 10 * time.Minute}, Batch: 20, Lasting: true,
		Count:   s.SweepTotal,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return sweep(ctx, s, b) },
	}
}

func sweep(ctx context.Context, s conflicts.Service, b Batch) (Done, error) {
	var done Done
	var after uuid.UUID
	if err := readCursor(b.Cursor, &after); err != nil {
		return done, err
	}
	swept, err := s.Sweep(ctx, b.Actor, conflicts.Sweep{After: after, Look: b.Look, Acts: b.Acts, Rehearse: b.DryRun})
	for _, p := range swept.Pairs {
		item := Item{Subject: p.Pair.String(), Outcome: Applied, Note: fmt.Sprintf("similarity %.2f: %s", float64(p.Cosine), became(p))}
		if p.Err != nil {
			item.Outcome, item.Code = Failed, wiki.ErrorCode(p.Err)
		}
		done.Count(item)
	}
	done.Looked, done.More = swept.Articles, swept.More
	if swept.Last != uuid.Nil {
		done.Cursor = cursor(swept.Last)
	}
	return done, err
}

func became(p conflicts.SweptPair) string {
	switch {
	case p.Entered:
		return "into the queue"
	case p.Lapsed:
		return "out of the queue"
	}
	return "stays where it is"
}
