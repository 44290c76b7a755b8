package gate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"wiki/core/gate"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

// together lets nobody past the assessor before a whole group has been assessed: so none of it sees another.
type together struct {
	gate.Assessor
	size int
	mu   sync.Mutex
	met  map[string]*sync.WaitGroup // by group, the first word of the title
	been map[string]bool
}

func (g *together) Assess(ctx context.Context, actor wiki.Actor, c gate.Candidate) (gate.Assessment, error) {
	found, err := g.Assessor.Assess(ctx, actor, c)
	group, _, _ := strings.Cut(c.Title, " ")
	g.mu.Lock()
	if g.met[group] == nil {
		g.met[group] = &sync.WaitGroup{}
		g.met[group].Add(g.size)
	}
	waits, again := g.met[group], g.been[c.Title]
	g.been[c.Title] = true
	g.mu.Unlock()
	if !again { // one that starts over has met the others
		waits.Done()
		waits.Wait()
	}
	return found, err
}

// notes gives the beginnings of real notes on different topics.
func notes(t *testing.T, most int) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(shareddata.Dir(t, "til-simonw"), "*", "*.md"))
	require.NoError(t, err)
	var texts []string
	topic := ""
	for _, path := range found {
		if filepath.Dir(path) == topic || len(texts) == most {
			continue
		}
		topic = filepath.Dir(path)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		texts = append(texts, strings.ToValidUTF8(string(raw[:min(len(raw), 700)]), ""))
	}
	return texts
}

// Near twins that are proposed at the same moment do not see each other when they are compared. One of them stays
// published; the other steps back, and a curator sees the pair.
func TestNearTwinsAtOnceLeaveOnePublished(t *testing.T) {
	b := newBench(t)
	const each = 3
	texts := notes(t, 20)
	b.gate.Assessor = &together{Assessor: b.gate.Assessor, size: each, met: map[string]*sync.WaitGroup{}, been: map[string]bool{}}
	outcomes := make([][each]gate.Outcome, len(texts))
	var group errgroup.Group
	for i, text1 := range texts {
		for n := range each {
			group.Go(func() error {
				o, err := b.gate.Propose(t.Context(), b.ann, proposal(fmt.Sprintf("G%d version %c", i, 'a'+n), text1+strings.Repeat(" Seen again.", n)))
				outcomes[i][n] = o
				return err
			})
		}
	}
	require.NoError(t, group.Wait())
	for i, twins := range outcomes {
		published := 0
		for _, o := range twins {
			require.True(t, o.Created)
			stored := b.get(o.Article.ID)
			require.Equal(t, stored.Status, o.Article.Status, "the answer says what became of it")
			if stored.Status == wiki.StatusPublished {
				published++
				require.Equal(t, gate.Novel, o.Verdict)
				continue
			}
			require.Equal(t, gate.LowNovelty, o.Verdict)
			require.NotEmpty(t, o.Flagged)
			require.Nil(t, stored.StagedDraftAt, "no caller asked for this draft")
			near := stored.Metadata[wiki.MetaProposalNovelty].(map[string]any)["neighbour_id"].(string)
			require.True(t, near == twins[0].Article.ID.String() || near == twins[1].Article.ID.String() || near == twins[2].Article.ID.String())
			require.NotEqual(t, uuid.Nil.String(), near)
		}
		require.Equal(t, 1, published, "group %d", i)
	}
	require.Empty(t, b.log.String())
}

// Twins that differ in what they state are flagged with the difference, whichever of them is seen first.
func TestNearTwinsAtOnceThatDifferAreFlagged(t *testing.T) {
	b := newBench(t)
	b.gate.Assessor = &together{Assessor: b.gate.Assessor, size: 2, met: map[string]*sync.WaitGroup{}, been: map[string]bool{}}
	var group errgroup.Group
	for _, port := range []string{"8080", "8081"} {
		group.Go(func() error {
			_, err := b.gate.Propose(t.Context(), b.ann, proposal("Port "+port, strings.Replace(portBody, "8080", port, 1)))
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.Equal(t, 1, b.count("articles where status = 'published'"))
	require.Equal(t, 1, b.count("articles where status = 'draft'"))
	require.Equal(t, 1, b.count(`conflict_flags where system and differing::text like '%8081%'`))
}

// A forced article stays as it was asked for; a failing second look takes nothing back.
func TestSecondLookTakesNothingFromWhoForces(t *testing.T) {
	b := newBench(t)
	b.gate.Assessor = &together{Assessor: b.gate.Assessor, size: 2, met: map[string]*sync.WaitGroup{}, been: map[string]bool{}}
	var group errgroup.Group
	for _, title := range []string{"Deploy one", "Deploy two"} {
		group.Go(func() error {
			p := proposal(title, deployBody)
			p.Force = true
			_, err := b.gate.Propose(t.Context(), b.ann, p)
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.Equal(t, 2, b.count("articles where status = 'published'"))
	require.Equal(t, 1, b.count("conflict_flags where system"))
}
