package nightly

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"wiki/core/conflicts"
	"wiki/core/wiki"
)

// Verdicts is the consumer that applies the supersede and merge verdicts that wait, the oldest first (SPEC §5). A verdict
// that can't be applied any more is refused, and its pair is in the queue again.
func Verdicts(s conflicts.Service) Consumer {
	return Consumer{
		Name: "verdicts", Does: "applies the verdicts that wait",
		Budget: wiki.NightBudget{Count: conflicts.MaxExecute, Time: 2 * time.Minute}, Batch: 10,
		Count:   s.Waiting,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return execute(ctx, s, b) },
	}
}

func execute(ctx context.Context, s conflicts.Service, b Batch) (Done, error) {
	var done Done
	round := conflicts.Round{Limit: min(b.Look, b.Acts), Rehearse: b.DryRun}
	if err := readCursor(b.Cursor, &round.After); err != nil {
		return done, err
	}
	tally, err := s.ExecuteRound(ctx, b.Actor, round)
	for _, o := range tally.Outcomes {
		done.Count(Item{Subject: o.Pair.String(), Outcome: outcomeOf[o.Outcome], Code: o.Code, Note: o.Message})
	}
	done.Looked, done.More = tally.Tried, tally.Tried == round.Limit
	if tally.Tried > 0 {
		done.Cursor = cursor(tally.Last)
	}
	if err == nil && tally.Cut {
		<-ctx.Done() // the rest of the time is too short for another verdict, and more batches would only ask again
		err = ctx.Err()
	}
	return done, err
}

var outcomeOf = map[string]string{
	conflicts.OutcomeExecuted: Applied, conflicts.OutcomeRefused: Refused, conflicts.OutcomeFailed: Failed,
}

// cursor writes a place down; readCursor reads it. A consumer's cursors are its own: what cannot be read is a fault of the
// program.
func cursor(place any) string {
	raw, err := json.Marshal(place)
	if err != nil {
		return ""
	}
	return string(raw)
}

func readCursor(text string, place any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), place); err != nil {
		return fmt.Errorf("nightly: read the cursor %q: %w", text, err)
	}
	return nil
}
