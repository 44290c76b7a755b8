package nightly_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/articles"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/shareddata"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// notes publishes real notes, of some folders of one author's.
func (w *world) notes(t testing.TB, most int) []wiki.Article {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shareddata.Dir(t, "til-simonw"), "*", "*.md"))
	require.NoError(t, err)
	var made []wiki.Article
	for _, path := range paths[:most] {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		title, body, _ := strings.Cut(string(raw), "\n")
		made = append(made, w.page(t, strings.TrimPrefix(title, "# ")+" "+filepath.Base(path), body))
	}
	return made
}

func (w *world) links(t testing.TB, id uuid.UUID) []articles.Edge {
	t.Helper()
	var all []articles.Edge
	require.NoError(t, w.DB.TenantRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		out, in, err := articles.Links(ctx, tx, w.user, id)
		all = slices.Concat(out, in)
		return err
	}))
	return all
}

// Real notes are linked with what is like them, and what is like nothing stays alone and is withheld.
func TestOrphansAreLinkedWithTheirKin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	notes := w.notes(t, 20)
	stranger := w.page(t, "Lunch", "The canteen opens at noon and serves soup, salad and one warm dish, which changes daily.")
	s := w.service(t, nightly.Orphans(w.Record))

	dry := w.run(t, s, nightly.Options{DryRun: true})
	require.Positive(t, dry.Steps[0].Applied)
	require.Zero(t, w.count(t, `select count(*) from article_links`))
	r := w.run(t, s, nightly.Options{})
	require.LessOrEqual(t, r.Steps[0].Offered, len(notes)+1, "what another's link has reached is alone no more")
	require.Equal(t, r.Steps[0].Offered, r.Steps[0].Applied+r.Steps[0].Withheld)
	require.Empty(t, w.links(t, stranger.ID))
	for _, note := range notes {
		links := w.links(t, note.ID)
		for _, link := range links {
			require.Equal(t, wiki.RelRelatesTo, link.Relation)
			require.Equal(t, true, link.Metadata[articles.LinkAuto])
			alike, err := strconv.ParseFloat(fmt.Sprint(link.Metadata[articles.LinkSimilarity]), 64)
			require.NoError(t, err)
			require.GreaterOrEqual(t, alike, 0.5)
		}
		if len(links) == 0 {
			require.Less(t, w.nearest(t, note), 0.5, note.Title)
		}
	}
	again := w.run(t, s, nightly.Options{})
	require.Zero(t, again.Steps[0].Applied)
	require.Equal(t, r.Steps[0].Withheld, again.Steps[0].Offered, "only what is like nothing is still alone")
}

// nearest is the cosine of the article that is most like another.
func (w *world) nearest(t testing.TB, a wiki.Article) (cosine float64) {
	t.Helper()
	model := w.Record.Embedder.Model().ID
	require.NoError(t, w.DB.HeavyRead(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		own, err := w.Record.Vectors.Load(ctx, tx, model, []uuid.UUID{a.ID})
		require.NoError(t, err)
		near, err := w.Record.Vectors.Nearest(ctx, tx, vectors.Query{
			Model: model, Vector: own[a.ID], Whole: true, Limit: 1, PublishedOnly: true, Viewer: w.user, Exclude: []uuid.UUID{a.ID},
		})
		require.NoError(t, err)
		cosine = float64(near[0].Cosine)
		return nil
	}))
	return cosine
}

// edge is a link as the test knows it.
type edge struct {
	id    uuid.UUID
	ends  [2]int
	alike float64
}

// Of a graph in which all are linked with all, each article keeps the ten that are most like it, and what is among the ten
// of either end stays.
func TestPruneKeepsTheMostAlikeOfEachEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const nodes, keep = 16, 10
	var pages []wiki.Article
	for range nodes {
		pages = append(pages, w.article(t))
	}
	var edges []edge
	link := func(i, j int, alike float64, auto bool) uuid.UUID {
		l := wiki.Link{ID: uuid.Must(uuid.NewV7()), Source: pages[i].ID, Target: pages[j].ID, Relation: wiki.RelRelatesTo}
		if auto {
			l.Metadata = map[string]any{articles.LinkAuto: true, articles.LinkSimilarity: alike}
		}
		require.NoError(t, w.DB.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := articles.InsertLink(ctx, tx, w.user.Tenant, l)
			return err
		}))
		return l.ID
	}
	for i := range nodes {
		for j := range i {
			alike := 0.5 + float64((i*31+j*17)%89)/1000
			edges = append(edges, edge{link(i, j, alike, true), [2]int{i, j}, alike})
		}
	}
	byHand := link(0, nodes-1, 0, false)
	want := map[uuid.UUID]bool{byHand: true}
	for node := range nodes {
		var mine []edge
		for _, e := range edges {
			if slices.Contains(e.ends[:], node) {
				mine = append(mine, e)
			}
		}
		slices.SortFunc(mine, func(a, b edge) int { return cmp.Or(cmp.Compare(b.alike, a.alike), slices.Compare(a.id[:], b.id[:])) })
		for _, e := range mine[:keep] {
			want[e.id] = true
		}
	}
	require.Less(t, len(want), len(edges), "the test has something to prune")
	c := nightly.Prune(w.Record)
	c.Batch = 3
	s := w.service(t, c)
	dry := w.run(t, s, nightly.Options{DryRun: true})
	require.Equal(t, len(edges)+1-len(want), dry.Steps[0].Applied)
	require.Equal(t, len(edges)+1, w.count(t, `select count(*) from article_links`))
	r := w.run(t, s, nightly.Options{})
	require.Equal(t, dry.Steps[0].Applied, r.Steps[0].Applied)
	left := map[uuid.UUID]bool{}
	for _, page := range pages {
		for _, l := range w.links(t, page.ID) {
			left[l.ID] = true
		}
	}
	require.Equal(t, want, left)
	require.Positive(t, w.acts(t, "link.prune"), "the audit says what they were")
	require.Zero(t, w.run(t, s, nightly.Options{}).Steps[0].Applied)
}

func TestPruneSparesWhatMayContradictUntilItIsFlagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := nightly.Prune(w.Record)
	var hub, other []wiki.Article
	for range 12 {
		hub, other = append(hub, w.article(t)), append(other, w.article(t))
	}
	link := func(a, b wiki.Article, alike float64) {
		require.NoError(t, w.DB.Tenant(t.Context(), w.user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			_, err := articles.InsertLink(ctx, tx, w.user.Tenant, wiki.Link{
				ID: tx.NewID(), Source: a.ID, Target: b.ID, Relation: wiki.RelRelatesTo,
				Metadata: map[string]any{articles.LinkAuto: true, articles.LinkSimilarity: alike},
			})
			return err
		}))
	}
	for i := 1; i < 12; i++ { // both ends have eleven that are more alike than they are to each other
		link(hub[0], hub[i], 0.99)
		link(other[0], other[i], 0.99)
	}
	link(hub[0], other[0], 0.98)
	between := `select count(*) from article_links where source_id = $1 and target_id = $2`
	w.run(t, w.service(t, c), nightly.Options{})
	require.Equal(t, 1, w.count(t, between, hub[0].ID, other[0].ID))
	w.flag(t, hub[0], other[0])
	w.run(t, w.service(t, c), nightly.Options{})
	require.Zero(t, w.count(t, between, hub[0].ID, other[0].ID))
}

// Read days are stamped from counted readings, capped by how many readers there were, and cleared when the window is over.
func TestImportanceStampsReadDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read, looped, unread := w.article(t), w.article(t), w.article(t)
	reading := func(a wiki.Article, reader, kind string, days int) {
		require.NoError(t, w.DB.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, `insert into access_events (tenant_id, article_id, key_id, principal, reader, kind, at)
				select $1, $2, $3, $4, $4, $5, $6::timestamptz - make_interval(days => i) from generate_series(0, $7 - 1) i`,
				w.user.Tenant, a.ID, uuid.New(), reader, kind, tx.Now, days)
			return err
		}))
	}
	reading(read, "ann", "get", 4)
	reading(looped, "bo", "get", 30)
	reading(unread, "ann", "search", 9)
	s := w.service(t, nightly.Importance(w.DB))
	require.Equal(t, 2, w.run(t, s, nightly.Options{DryRun: true}).Steps[0].Applied)
	require.Nil(t, w.stands(t, read.ID).ReadDayCount)
	require.Equal(t, wiki.Tally{Offered: 2, Applied: 2, Gate: wiki.GateOpen}, w.run(t, s, nightly.Options{}).Steps[0].Tally)
	now := w.stands(t, read.ID)
	require.Equal(t, 4, *now.ReadDayCount)
	require.Equal(t, 5, *w.stands(t, looped.ID).ReadDayCount, "one reader is worth so many days and no more")
	require.Nil(t, w.stands(t, unread.ID).ReadDayCount, "what a search listed was not read")
	require.Equal(t, read.Version, now.Version)
	require.True(t, read.UpdatedAt.Equal(now.UpdatedAt), "a stamp makes nothing fresh")
	require.Zero(t, w.run(t, s, nightly.Options{}).Steps[0].Applied)

	w.clock.pass(100 * 24 * time.Hour)
	require.Equal(t, 2, w.run(t, s, nightly.Options{}).Steps[0].Applied)
	require.Nil(t, w.stands(t, read.ID).ReadDayCount)
}
