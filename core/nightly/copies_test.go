package nightly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/nightly"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

// templates are real pages that are all written after one template: each is like many others, and says something else.
func templates(t testing.TB, most int) (titles, bodies []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shareddata.Dir(t, "tldr-en"), "pages", "common", "git-*.md"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), most)
	for _, path := range paths[:most] {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		title, body, _ := strings.Cut(string(raw), "\n")
		titles, bodies = append(titles, strings.TrimPrefix(title, "# ")), append(bodies, strings.TrimSpace(body))
	}
	return titles, bodies
}

// wide writes a title in the wide letters that some input methods give.
func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '!' && r <= '~' {
			return r - '!' + '！'
		}
		return r
	}, s)
}

func keyed(key string) func(*wiki.Article) { return func(a *wiki.Article) { a.IdempotencyKey = key } }

// planted is a corpus of template pages with copies, and with pages that only look like copies, planted in it.
type planted struct {
	*world
	originals, copies, lookAlikes []wiki.Article
}

func plant(t testing.TB) planted {
	t.Helper()
	p := planted{world: newWorld(t)}
	titles, bodies := templates(t, 40)
	for i := range titles {
		p.originals = append(p.originals, p.page(t, titles[i], bodies[i], keyed(fmt.Sprint("tldr:", titles[i]))))
	}
	for i := range 6 {
		p.copies = append(p.copies,
			p.page(t, strings.ToUpper(titles[i]), bodies[i]),
			p.page(t, wide(titles[i+6]), bodies[i+6]+"\n"),
			p.page(t, "Notes on "+titles[i+12], bodies[i+12], keyed("TLDR:"+titles[i+12])))
	}
	for i := range 6 {
		at := 18 + 2*i
		p.lookAlikes = append(p.lookAlikes,
			// The title of one page over the text of its neighbour in the template.
			p.page(t, strings.ToUpper(titles[at]), bodies[at+1]),
			// The key of one page, and the text of its neighbour.
			p.page(t, "More on "+titles[at], bodies[at+1], keyed("Tldr:"+titles[at])),
			// The same page for another number: it says another thing.
			p.page(t, wide(titles[at]), bodies[at]+fmt.Sprintf("\n\n- Limit it to %d entries:\n\n`git -n %d`", i+3, i+3)))
	}
	return p
}

func (p planted) statuses(t testing.TB, pages []wiki.Article, want wiki.Status) {
	t.Helper()
	for _, a := range pages {
		require.Equal(t, want, p.stands(t, a.ID).Status, a.Title)
	}
}

const day = 24 * time.Hour

// Every planted copy is retracted on the second night that finds it, no look-alike is touched, the oldest stays, and a person
// who brings a copy back has the last word.
func TestSeed4PlantedCopiesAreRetractedAndNoLookAlikeIs(t *testing.T) {
	t.Parallel()
	p := plant(t)
	c := nightly.Copies(p.Record)
	c.Batch = 7
	s := p.service(t, c)

	first := p.run(t, s, nightly.Options{})
	require.Zero(t, first.Steps[0].Applied, "one night proves nothing")
	require.Equal(t, first.Steps[0].Offered, first.Steps[0].Withheld)
	require.GreaterOrEqual(t, first.Steps[0].Offered, len(p.copies))
	require.Zero(t, p.run(t, s, nightly.Options{}).Steps[0].Applied, "a second pass of one night is no second night")
	p.statuses(t, p.copies, wiki.StatusPublished)

	p.clock.pass(day)
	dry := p.run(t, s, nightly.Options{DryRun: true})
	require.Equal(t, len(p.copies), dry.Steps[0].Applied)
	p.statuses(t, p.copies, wiki.StatusPublished)
	second := p.run(t, s, nightly.Options{})
	require.Equal(t, dry.Steps[0].Tally, second.Steps[0].Tally)
	p.statuses(t, p.copies, wiki.StatusDraft)
	p.statuses(t, p.originals, wiki.StatusPublished)
	p.statuses(t, p.lookAlikes, wiki.StatusPublished)
	require.Zero(t, p.count(t, `select count(*) from articles where status = 'archived'`), "nothing that a machine does is final")
	require.Equal(t, len(p.copies), p.acts(t, "article.retract_copy"))
	for _, item := range second.Steps[0].Items {
		require.Contains(t, []wiki.Code{wiki.CopyUncorroborated, wiki.CopyDiffers}, item.Code)
	}

	back := p.copies[0]
	_, err := p.Record.Publish(t.Context(), p.user, back.ID, "")
	require.NoError(t, err)
	for range 3 {
		p.clock.pass(day)
		r := p.run(t, s, nightly.Options{})
		require.Zero(t, r.Steps[0].Applied)
	}
	p.statuses(t, []wiki.Article{back}, wiki.StatusPublished)
}

// What is between two nights counts: a night that was left out, a text that was changed, a curation, a budget.
func TestCopiesNeedTwoNightsThatAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	titles, bodies := templates(t, 4)
	var copies []wiki.Article
	for i := range titles {
		w.page(t, titles[i], bodies[i])
		copies = append(copies, w.page(t, strings.ToUpper(titles[i]), bodies[i]))
	}
	c := nightly.Copies(w.Record)
	s := w.service(t, c)
	w.run(t, s, nightly.Options{})
	w.clock.pass(5 * day)
	require.Zero(t, w.run(t, s, nightly.Options{}).Steps[0].Applied, "the last night is too long ago")

	w.clock.pass(day)
	_, err := w.Record.Curate(t.Context(), w.user, copies[0].ID, "it is right", "")
	require.NoError(t, err)
	_, err = w.Record.Suppress(t.Context(), w.user, copies[1].ID, "not now", "")
	require.NoError(t, err)
	c.Budget = wiki.NightBudget{Count: 1, Time: time.Hour}
	r := w.run(t, w.service(t, c), nightly.Options{})
	require.Equal(t, 1, r.Steps[0].Applied)
	require.Equal(t, wiki.GateCount, r.Steps[0].Gate, "it stops at its budget, and says so")
	require.Equal(t, wiki.StatusPublished, w.stands(t, copies[0].ID).Status, "somebody vouched for it")
	require.Equal(t, wiki.StatusPublished, w.stands(t, copies[1].ID).Status)

	w.clock.pass(day)
	r = w.run(t, s, nightly.Options{})
	require.Equal(t, 1, r.Steps[0].Applied)
	require.Equal(t, wiki.CopyCurated, r.Steps[0].Items[0].Code)
	require.Equal(t, wiki.StatusDraft, w.stands(t, copies[2].ID).Status)
	require.Equal(t, wiki.StatusDraft, w.stands(t, copies[3].ID).Status)
}

// A copy whose text has no vector cannot be compared, and what cannot be compared is withheld.
func TestCopiesWithoutAVectorAreWithheld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.write(t, wiki.Article{Title: "Backups", Body: "They are kept for a month."}, false)
	b := w.write(t, wiki.Article{Title: "BACKUPS", Body: "They are kept for a month."}, false)
	s := w.service(t, nightly.Copies(w.Record))
	w.run(t, s, nightly.Options{})
	w.clock.pass(day)
	r := w.run(t, s, nightly.Options{})
	require.Equal(t, wiki.Tally{Offered: 1, Withheld: 1, Gate: wiki.GateOpen}, r.Steps[0].Tally)
	require.Equal(t, wiki.CopyUncorroborated, r.Steps[0].Items[0].Code)
	for _, id := range []uuid.UUID{a.ID, b.ID} {
		require.Equal(t, wiki.StatusPublished, w.stands(t, id).Status)
	}
}
