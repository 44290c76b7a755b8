package pair

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/diffview"
)

// maxCached is how many pairs are kept: those read ahead, the one shown, and the last few for going back.
const maxCached = 10

// entry is a pair made ready to be shown: its texts inert, and compared.
type entry struct {
	pair  api.Pair
	texts diffview.Texts
}

// cache holds pairs by id. Each has an epoch: an answer to a question that was asked before the pair was found to have
// changed is dropped.
type cache struct {
	entries  map[string]*entry
	order    []string // least recently used first
	epoch    map[string]int
	asked    map[string]bool
	failures map[string]error
	stale    map[string]bool // shown until the new one arrives
}

func newCache() cache {
	return cache{entries: map[string]*entry{}, epoch: map[string]int{}, asked: map[string]bool{}, failures: map[string]error{}, stale: map[string]bool{}}
}

func (c *cache) get(id string) *entry    { return c.entries[id] }
func (c *cache) failure(id string) error { return c.failures[id] }
func (c *cache) want(id string) bool     { return !c.asked[id] && (c.entries[id] == nil || c.stale[id]) }
func (c *cache) old(l Loaded) bool       { return l.epoch != c.epoch[l.id] }

// invalidate says that a pair has changed on the server: what is known stays until the new is read.
func (c *cache) invalidate(id string) {
	c.epoch[id]++
	delete(c.asked, id)
	delete(c.failures, id)
	c.stale[id] = true
}

func (c *cache) put(id string, e *entry) {
	c.entries[id] = e
	delete(c.failures, id)
	delete(c.stale, id)
	for i, known := range c.order {
		if known == id {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, id)
}

// trim drops the least recently used pairs, but never the one shown.
func (c *cache) trim(shown string) {
	for i := 0; len(c.order) > maxCached && i < len(c.order); {
		id := c.order[i]
		if id == shown {
			i++
			continue
		}
		c.order = append(c.order[:i], c.order[i+1:]...)
		delete(c.entries, id)
	}
}

// Loaded is a message: a pair has arrived, ready to be shown, or could not be read.
type Loaded struct {
	id    string
	epoch int
	entry *entry
	err   error
}

// Failure implements screen.Answer.
func (l Loaded) Failure() error { return l.err }

// Prefetch reads pairs ahead.
func (s *Screen) Prefetch(ids []string) tea.Cmd {
	cmds := make([]tea.Cmd, len(ids))
	for i, id := range ids {
		cmds[i] = s.need(id)
	}
	return tea.Batch(cmds...)
}

// Changed says that pairs have changed on the server; nil means any may have. The one shown is read again.
func (s *Screen) Changed(ids ...string) tea.Cmd {
	if ids == nil {
		ids = append([]string(nil), s.cache.order...)
	}
	for _, id := range ids {
		s.cache.invalidate(id)
	}
	if s.id == "" {
		return nil
	}
	return s.need(s.id)
}

const untilDelivered = -1

// Reopen says that the verdict of a pair is being taken back.
func (s *Screen) Reopen(id string) { s.reopened[id] = untilDelivered }

// TakenBack says that the server has taken the verdict of a pair back, or refused to: its word counts again.
func (s *Screen) TakenBack(id string) tea.Cmd {
	s.cache.invalidate(id)
	if _, back := s.reopened[id]; back {
		s.reopened[id] = s.cache.epoch[id]
	}
	if id != s.id {
		return nil
	}
	return s.need(id)
}

// need reads a pair unless it is there or under way. Making it ready to be shown is work too, and done by the command.
func (s *Screen) need(id string) tea.Cmd {
	if !s.cache.want(id) {
		return nil
	}
	s.cache.asked[id] = true
	epoch := s.cache.epoch[id]
	return s.env.Call(func(ctx context.Context) tea.Msg {
		p, err := s.source.Pair(ctx, id)
		if err != nil {
			return Loaded{id: id, epoch: epoch, err: err}
		}
		return Loaded{id: id, epoch: epoch, entry: &entry{pair: p, texts: diffview.Compare(bodyOf(p.First), bodyOf(p.Second))}}
	})
}

func bodyOf(a api.Article) string {
	if a.Body == nil {
		return ""
	}
	return *a.Body
}

// heardLoaded takes a pair that has arrived.
func (s *Screen) heardLoaded(l Loaded) tea.Cmd {
	if s.cache.old(l) {
		return nil
	}
	delete(s.cache.asked, l.id)
	if l.err != nil {
		s.cache.failures[l.id] = l.err
		return nil
	}
	if from, back := s.reopened[l.id]; back && from != untilDelivered && l.epoch >= from {
		delete(s.reopened, l.id)
	}
	before := s.cache.get(l.id)
	s.cache.put(l.id, l.entry)
	s.cache.trim(s.id)
	if l.id != s.id {
		return nil
	}
	if before == nil {
		s.lay(true)
		return nil
	}
	if before.pair.First.Version == l.entry.pair.First.Version && before.pair.Second.Version == l.entry.pair.Second.Version {
		return nil
	}
	s.lay(false)
	return changedUnderEyes
}
