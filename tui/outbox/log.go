package outbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// record is one line of the file: an act, or the end of one.
type record struct {
	Act  *Act  `json:"act,omitempty"`
	Done *done `json:"done,omitempty"`
}

// done strikes an act off. Code is empty when the server accepted it.
type done struct {
	Key     string     `json:"key"`
	At      time.Time  `json:"at"`
	Verdict *uuid.UUID `json:"verdict_id,omitempty"`
	Code    string     `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
}

// journal is the append-only file. It belongs to one process, which holds the lock beside it.
type journal struct {
	file *os.File
	lock *os.File
}

// state is what the file says at the start.
type state struct {
	pending []Act           // in order, not struck off
	ended   map[string]done // by act key
	damaged int             // lines that could not be read; they are kept in a file beside
}

// openJournal locks and reads the file, cuts a line that a crash left half written, and rewrites the file without what has
// been struck off.
func openJournal(path string) (*journal, state, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, state{}, fmt.Errorf("the outbox folder cannot be made: %w", err)
	}
	lock, err := takeLock(path + ".lock")
	if err != nil {
		return nil, state{}, err
	}
	st, raw, err := readJournal(path)
	if err == nil && st.damaged > 0 {
		err = os.WriteFile(path+".damaged", raw, 0o600)
	}
	if err == nil {
		err = rewrite(path, st)
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err != nil {
		return nil, state{}, errors.Join(fmt.Errorf("the outbox %s cannot be opened: %w", path, err), freeLock(lock))
	}
	return &journal{file: file, lock: lock}, st, nil
}

func readJournal(path string) (state, []byte, error) {
	st := state{ended: map[string]done{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return st, nil, nil
	}
	if err != nil {
		return st, nil, err
	}
	var acts []Act
	for rest := raw; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		if !whole {
			break // half written when the process died: nobody was told that it is saved
		}
		var r record
		switch err := json.Unmarshal(line, &r); {
		case err != nil || (r.Act == nil && r.Done == nil):
			st.damaged++
		case r.Act != nil:
			acts = append(acts, *r.Act)
		default:
			st.ended[r.Done.Key] = *r.Done
		}
	}
	for _, a := range acts {
		if _, ended := st.ended[a.Key]; !ended {
			st.pending = append(st.pending, a)
		}
	}
	return st, raw, nil
}

// rewrite replaces the file by one that holds the pending acts, and the ends of those that a pending act takes back.
func rewrite(path string, st state) error {
	var b bytes.Buffer
	for _, a := range st.pending {
		if d, known := st.ended[a.Of]; known && a.Of != "" {
			if err := encode(&b, record{Done: &d}); err != nil {
				return err
			}
		}
		if err := encode(&b, record{Act: &a}); err != nil {
			return err
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(b.Bytes())
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func encode(w io.Writer, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// append writes records and syncs them to disk. After an error the file is cut back to what it held, so that a later
// record never continues a broken line.
func (j *journal) append(records ...record) error {
	before, err := j.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, r := range records {
		if err := encode(&b, r); err != nil {
			return err
		}
	}
	_, err = j.file.Write(b.Bytes())
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(before))
	}
	return nil
}

func (j *journal) close() error { return errors.Join(j.file.Close(), freeLock(j.lock)) }
