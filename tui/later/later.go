// Package later keeps which pairs a curator put away, and until when. It is a matter of one machine: the server does not
// know of it. Losing the file loses no act.
package later

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Store is one file of deferrals.
type Store struct {
	path  string
	until map[string]time.Time
	seq   int // of the newest snapshot

	writing sync.Mutex
	written int // the newest snapshot on disk
}

// Open reads the file; a missing one is an empty store. Deferrals that have ended are dropped.
func Open(path string, now time.Time) (*Store, error) {
	s := &Store{path: path, until: map[string]time.Time{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s.until)
	}
	if err != nil {
		s.until = map[string]time.Time{}
		return s, fmt.Errorf("the deferred pairs in %s cannot be read: %w", path, err)
	}
	maps.DeleteFunc(s.until, func(_ string, t time.Time) bool { return !t.After(now) })
	return s, nil
}

// All gives the deferrals by pair.
func (s *Store) All() map[string]time.Time { return maps.Clone(s.until) }

// Set notes a deferral; a snapshot writes it.
func (s *Store) Set(pair string, until time.Time) { s.until[pair] = until }

// Drop forgets one.
func (s *Store) Drop(pair string) { delete(s.until, pair) }

// Snapshot makes a function that writes the deferrals as they are now, to be called from another goroutine. An older
// snapshot never overwrites a newer one.
func (s *Store) Snapshot() func() error {
	s.seq++
	seq, until := s.seq, s.All()
	return func() error {
		s.writing.Lock()
		defer s.writing.Unlock()
		if seq <= s.written {
			return nil
		}
		s.written = seq
		return write(s.path, until)
	}
}

func write(path string, until map[string]time.Time) error {
	raw, err := json.Marshal(until)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
