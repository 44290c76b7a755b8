package gate_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/gate"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

const (
	// replayEnv asks for every edit of the collections; without it every replayStep-th is replayed.
	replayEnv     = "WIKI_REPLAY"
	replayStep    = 25
	replayWorkers = 8
)

// edit is one real change to a page: the text before it and after it.
type edit struct {
	Old, New string
	id       uuid.UUID
}

func readEdits(t *testing.T, collection string) []edit {
	t.Helper()
	file, err := os.Open(filepath.Join(shareddata.Dir(t, collection), "revision_pairs.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	var edits []edit
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e edit
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		edits = append(edits, e)
	}
	require.NoError(t, lines.Err())
	return edits
}

// Real edits, replayed as a harvest would send them: the old text under a key, then the new one under the same key. Each
// that changes more than blanks at line ends and around the text is one drift event, sent twice or once; adopting them all
// makes the corpus equal to the new texts. Of til-simonw's 519 pairs three change nothing and one a final line end; of
// tldr-en's 2,991 24 change nothing and 29 such blanks.
func TestRealEditsReplayed(t *testing.T) {
	for collection, whole := range map[string]struct{ edits, drift int }{"til-simonw": {519, 515}, "tldr-en": {2991, 2938}} {
		t.Run(collection, func(t *testing.T) {
			edits := readEdits(t, collection)
			require.Len(t, edits, whole.edits)
			if os.Getenv(replayEnv) == "" {
				edits = every(replayStep, edits)
			}
			b := newBench(t)
			b.model.answer = down // vectors play no part here
			expected := 0
			for _, e := range edits {
				if wiki.Canonical(e.Old) != wiki.Canonical(e.New) {
					expected++
				}
			}
			require.Equal(t, expected, b.replay(edits))
			require.Equal(t, expected, b.count("drift_events"))
			require.Equal(t, expected, b.count("drift_events where state = 'adopted' and content_drift and not title_drift"))
			if len(edits) == whole.edits {
				require.Equal(t, whole.drift, b.count("drift_events"), "the whole history")
			}
			t.Logf("%d edits, %d drift events, all adopted", len(edits), expected)
		})
	}
}

func every(step int, edits []edit) []edit {
	var some []edit
	for i := 0; i < len(edits); i += step {
		some = append(some, edits[i])
	}
	return some
}

// replay sends each edit and adopts the drift that it leaves; it gives the number of drifted answers.
func (b bench) replay(edits []edit) int {
	var drifted atomic.Int32
	var group errgroup.Group
	group.SetLimit(replayWorkers)
	for i := range edits {
		group.Go(func() error {
			event, err := b.resend(i, &edits[i])
			if err != nil || event == nil {
				return err
			}
			drifted.Add(1)
			if _, err := b.gate.Record.AdoptDrift(b.t.Context(), b.user, *event, ""); err != nil {
				return err
			}
			if got := b.get(edits[i].id).Body; wiki.Canonical(got) != wiki.Canonical(edits[i].New) {
				return fmt.Errorf("edit %d: adopted, and yet not equal to the new text", i)
			}
			return nil
		})
	}
	require.NoError(b.t, group.Wait())
	return int(drifted.Load())
}

// resend proposes the old text, then the new one twice, and gives the drift event of it if there is one.
func (b bench) resend(i int, e *edit) (*uuid.UUID, error) {
	p := proposal(fmt.Sprintf("Note %d", i), e.Old)
	p.IdempotencyKey = fmt.Sprintf("edit:%d", i)
	first, err := b.gate.Propose(b.t.Context(), b.ann, p)
	if err != nil {
		return nil, err
	}
	e.id = first.Article.ID
	p.Body = text(e.New)
	var events [2]*uuid.UUID
	for n := range events {
		o, err := b.gate.Propose(b.t.Context(), b.ann, p)
		if err != nil {
			return nil, err
		}
		drifts := wiki.Canonical(e.Old) != wiki.Canonical(e.New)
		if o.Verdict != gate.Deduplicated || o.Article.ID != e.id || drifts != (o.DriftEvent != nil) || *o.ContentDrift != drifts || *o.TitleDrift {
			return nil, fmt.Errorf("edit %d: the answer is %s, drift event %v", i, o.Verdict, o.DriftEvent)
		}
		events[n] = o.DriftEvent
	}
	if events[0] != nil && *events[0] != *events[1] {
		return nil, fmt.Errorf("edit %d: the same submission made two drift events", i)
	}
	return events[0], nil
}
