package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"wiki/core/wiki"
)

// Deliver sends one act; verdict is the one that a Withdraw or Revert takes back.
type Deliver func(ctx context.Context, act Act, verdict uuid.UUID) (Result, error)

// Config says where the acts are kept and how they are sent.
type Config struct {
	Path    string
	Deliver Deliver
	Now     func() time.Time                                // nil = time.Now
	Sleep   func(ctx context.Context, d time.Duration) bool // nil = a timer; false = the context ended
}

// PathFor names the file for a server and a key. It holds no key: two keys of one server have two files.
func PathFor(stateDir, server, keyPrefix string) string {
	sum := sha256.Sum256([]byte(server + "\n" + keyPrefix))
	return filepath.Join(stateDir, "outbox", hex.EncodeToString(sum[:8])+".log")
}

// Box is an open outbox. Its methods may be called from any goroutine.
type Box struct {
	cfg     Config
	journal *journal
	damaged int

	writing sync.Mutex // held while the file is written

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at each change
	unsaved  []Act
	pending  []Act           // saved, in the order to be sent
	verdicts map[string]done // ends of acts, for those that take them back
	events   []Event
	kicked   chan struct{}
}

// Open reads the file and takes its lock: ErrBusy when another process holds it. Acts left from an earlier run are pending.
func Open(cfg Config) (*Box, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	j, st, err := openJournal(cfg.Path)
	if err != nil {
		return nil, err
	}
	b := &Box{cfg: cfg, journal: j, damaged: st.damaged, changed: make(chan struct{}), kicked: make(chan struct{}, 1)}
	b.pending, b.verdicts = st.pending, st.ended
	if b.cfg.Sleep == nil {
		b.cfg.Sleep = b.sleep
	}
	return b, nil
}

// Damaged is how many lines of the file could not be read; a copy of it lies beside it, named .damaged.
func (b *Box) Damaged() int { return b.damaged }

// Add takes an act. It does not wait: events say when it is saved and what the server made of it.
func (b *Box) Add(a Act) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unsaved = append(b.unsaved, a)
	b.announce()
}

// Pending gives the acts without a final answer, oldest first, those not yet saved included.
func (b *Box) Pending() []Act {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(append([]Act(nil), b.pending...), b.unsaved...)
}

// Kick makes a waiting act go at once: the link is up again.
func (b *Box) Kick() {
	select {
	case b.kicked <- struct{}{}:
	default:
	}
}

// Next waits for the next event, in order. The error is the context's.
func (b *Box) Next(ctx context.Context) (Event, error) {
	for {
		b.mu.Lock()
		if len(b.events) > 0 {
			e := b.events[0]
			b.events = b.events[1:]
			b.mu.Unlock()
			return e, nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Settled waits until every act has its final answer, or the context ends.
func (b *Box) Settled(ctx context.Context) bool {
	return b.waitFor(ctx, func() bool { return len(b.pending)+len(b.unsaved) == 0 })
}

// Saved waits until every act is on disk.
func (b *Box) Saved(ctx context.Context) bool {
	return b.waitFor(ctx, func() bool { return len(b.unsaved) == 0 })
}

// Run saves and sends until the context ends, then saves what is left. Call it once.
func (b *Box) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { b.sendAll(ctx) })
	for b.waitFor(ctx, func() bool { return len(b.unsaved) > 0 }) {
		b.save()
	}
	b.save()
	wg.Wait()
}

// Close frees the file. Run has to have ended.
func (b *Box) Close() error { return b.journal.close() }

// save writes the acts that are not on disk, all with one sync.
func (b *Box) save() {
	b.mu.Lock()
	acts := append([]Act(nil), b.unsaved...)
	b.mu.Unlock()
	if len(acts) == 0 {
		return
	}
	records := make([]record, len(acts))
	for i := range acts {
		records[i].Act = &acts[i]
	}
	err := b.appendRecords(records...)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unsaved = b.unsaved[len(acts):]
	for _, a := range acts {
		if err != nil {
			b.events = append(b.events, Event{Act: a, Unsaved: err})
			continue
		}
		b.pending = append(b.pending, a)
		b.events = append(b.events, Event{Act: a, Saved: true})
	}
	b.announce()
}

// announce wakes everyone who waits; mu is held.
func (b *Box) announce() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// waitFor waits until something holds; false when the context ended, even if it holds.
func (b *Box) waitFor(ctx context.Context, ready func() bool) bool {
	for {
		b.mu.Lock()
		ok, changed := ready(), b.changed
		b.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return false
		case ok:
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// moot is the end of an act that takes back one which was itself refused.
func moot() error {
	return wiki.Errorf(wiki.CodeNotFound, "there is nothing to take back: the server had refused that act")
}
