package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"wiki/core/wiki"
)

// sendAll sends the pending acts one after the other.
func (b *Box) sendAll(ctx context.Context) {
	for b.waitFor(ctx, func() bool { return len(b.pending) > 0 }) {
		b.mu.Lock()
		act := b.pending[0]
		b.mu.Unlock()
		b.send(ctx, act)
	}
}

// send tries until there is a final answer or the context ends.
func (b *Box) send(ctx context.Context, act Act) {
	for attempt := 1; ; attempt++ {
		result, err := b.try(ctx, act)
		switch {
		case err == nil:
			b.end(act, Event{Act: act, Delivered: &result}, endOf(act, b.cfg.Now(), result, nil))
			return
		case ctx.Err() != nil:
			return
		}
		class := classify(err, attempt)
		if class == answerRefuse {
			b.end(act, Event{Act: act, Refused: err}, endOf(act, b.cfg.Now(), Result{}, err))
			return
		}
		hold := Hold{Err: err, Stuck: class == answerStuck, Attempt: attempt, Wait: waitAfter(err, attempt)}
		if hold.Stuck {
			hold.Wait = longestWait
		}
		b.tell(Event{Act: act, Held: &hold})
		if !b.cfg.Sleep(ctx, hold.Wait) {
			return
		}
	}
}

func (b *Box) try(ctx context.Context, act Act) (Result, error) {
	var verdict uuid.UUID
	if act.Kind == Withdraw || act.Kind == Revert {
		id, known := b.verdictOf(act)
		if !known {
			return Result{}, moot()
		}
		verdict = id
	}
	if act.Back && b.refused(act.Of) {
		return Result{}, moot()
	}
	return b.cfg.Deliver(ctx, act, verdict)
}

// refused says whether the server refused an act.
func (b *Box) refused(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.verdicts[key].Code != ""
}

// verdictOf finds the verdict that an act takes back.
func (b *Box) verdictOf(act Act) (uuid.UUID, bool) {
	if act.ID != nil {
		return *act.ID, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	d, known := b.verdicts[act.Of]
	if !known || d.Verdict == nil {
		return uuid.UUID{}, false
	}
	return *d.Verdict, true
}

// end strikes the act off. When that cannot be written, it is sent again at the next start, which the key makes harmless.
func (b *Box) end(act Act, event Event, d done) {
	_ = b.appendRecords(record{Done: &d})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.verdicts[act.Key] = d
	b.pending = b.pending[1:]
	b.events = append(b.events, event)
	b.announce()
}

func endOf(act Act, now time.Time, r Result, err error) done {
	d := done{Key: act.Key, At: now}
	if r.Verdict != nil {
		d.Verdict = &r.Verdict.ID
	}
	if err != nil {
		d.Code, d.Message = string(wiki.ErrorCode(err)), err.Error()
		var e *wiki.Error
		if errors.As(err, &e) {
			d.Message = e.Message
		}
	}
	return d
}

func (b *Box) tell(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	b.announce()
}

// appendRecords writes to the file; saving and sending take turns.
func (b *Box) appendRecords(records ...record) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.journal.append(records...)
}

func (b *Box) sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-b.kicked:
	case <-ctx.Done():
		return false
	}
	return true
}
