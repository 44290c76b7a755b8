package proposals_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/wiki"
)

// Case 94: done, not found and refused are told apart, each at its place in the request (facts §3.5).
func TestCase94EachArticleOfASetHasItsOwnOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{Batch: 2})
	one, two, old := w.article(t, draft), w.article(t), w.article(t, draft)
	stranger := uuid.New()
	w.run(t, byIDs(wiki.OpArchive, old.ID), proposals.Credential{})
	many := byIDs(wiki.OpRetag, one.ID)
	for range wiki.MaxTags {
		many.Act.AddTags = append(many.Act.AddTags, "t"+uuid.NewString()[:8])
	}
	w.run(t, many, proposals.Credential{})

	out := w.run(t, byIDs(wiki.OpPublish, two.ID, stranger, one.ID, old.ID, stranger), proposals.Credential{})
	require.Equal(t, []string{"skipped already_published", "not_found", "published", "skipped not_publishable_from_archived"}, outcomes(out.Items))
	require.Equal(t, proposals.Counts{Requested: 4, Done: 1, Skipped: 2, NotFound: 1}, out.Counts)
	require.Equal(t, proposals.StateExecuted, out.State)

	more := byIDs(wiki.OpRetag, two.ID, one.ID)
	more.Act.AddTags = []string{"one-too-many"}
	out = w.run(t, more, proposals.Credential{})
	require.Equal(t, []string{"retagged", "errored invalid"}, outcomes(out.Items), "one refusal does not cost the others")
	require.Equal(t, []string{"one-too-many"}, w.stands(t, two.ID)[two.ID].Tags)

	empty := w.run(t, byIDs(wiki.OpArchive, stranger), proposals.Credential{})
	require.Equal(t, []string{"not_found"}, outcomes(empty.Items))
	require.Zero(t, empty.Counts.Done)
}

func TestSetsOfEachOpRunThroughTheHistoryAndTheAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	a := w.article(t, draft, tagged("old"))
	for i, step := range []struct {
		r      proposals.Request
		status wiki.Status
		act    string
		event  string
	}{
		{byIDs(wiki.OpPublish, a.ID), wiki.StatusPublished, "article.publish", "article.published"},
		{byIDs(wiki.OpUnpublish, a.ID), wiki.StatusDraft, "article.unpublish", "article.unpublished"},
		{proposals.Request{Act: wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"new"}, RemoveTags: []string{"old"}}, Selector: wiki.Selector{IDs: []uuid.UUID{a.ID}}}, wiki.StatusDraft, "article.retag", "article.updated"},
		{byIDs(wiki.OpArchive, a.ID), wiki.StatusArchived, "article.archive", "article.archived"},
	} {
		out := w.run(t, step.r, proposals.Credential{})
		require.Equal(t, 1, out.Counts.Done, step.act)
		stands := w.stands(t, a.ID)[a.ID]
		require.Equal(t, step.status, stands.Status)
		require.Equal(t, i+2, stands.Version, "each act keeps the version before it")
		require.Equal(t, 1, w.number(t, `select count(*) from audit_log where act = $1 and subject = $2 and detail ->> 'proposal' = $3`, step.act, a.ID, out.ID.String()))
		require.Positive(t, w.number(t, `select count(*) from events where kind = $1 and subject = $2`, step.event, a.ID))
	}
	require.Equal(t, []string{"new"}, w.stands(t, a.ID)[a.ID].Tags)
	require.Equal(t, 1, w.number(t, `select count(*) from article_versions where article_id = $1 and reason = 'out of date' and status = 'draft' and version = 1`, a.ID))
}

func TestSourceNamesASetThatItsCallerHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	source := uuid.New()
	of := func(a *wiki.Article) { a.SourceType, a.SourceID = "manual", &source }
	ids := w.many(t, 2, of)
	w.article(t)
	r := proposals.Request{Act: wiki.BulkAct{Op: wiki.OpDelete}, Selector: wiki.Selector{SourceType: "manual", SourceID: &source}}
	require.Equal(t, 2, w.run(t, r, proposals.Credential{}).Counts.Done)
	require.Equal(t, wiki.StatusArchived, w.stands(t, ids...)[ids[1]].Status, "a soft delete keeps the row")
	again := w.run(t, r, proposals.Credential{})
	require.Zero(t, again.Counts.Requested, "what is done is named no more")
	require.Equal(t, proposals.StateExecuted, again.State)
}

// Seed, invariant 4: a tag names a set that its caller never held, and a hard delete can't be taken back.
func TestTagsAndHardDeletesNeedADryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	w.refusesNothing(t)
	a := w.article(t, tagged("x"))
	for _, op := range []wiki.Op{wiki.OpArchive, wiki.OpDelete, wiki.OpUnpublish} {
		w.refuses(t, wiki.CodeDryRunRequired, byTag(op, "x"), proposals.Credential{})
	}
	w.refuses(t, wiki.CodeDryRunRequired, hard(byIDs(wiki.OpDelete, a.ID)), proposals.Credential{})
	_, err := w.DryRun(t.Context(), w.agent, byTag(wiki.OpArchive, "x"))
	code(t, wiki.CodeForbidden, err)
	_, err = w.Run(t.Context(), w.agent, byIDs(wiki.OpArchive, a.ID), proposals.Credential{}, "")
	code(t, wiki.CodeForbidden, err)
	require.Equal(t, 1, w.stands(t, a.ID)[a.ID].Version)
}

// An empty match needs no proposal: nothing is done, and nothing is wrong.
func (w *world) refusesNothing(t *testing.T) {
	for _, r := range []proposals.Request{byTag(wiki.OpArchive, "nobody"), hard(byTag(wiki.OpDelete, "nobody")), hard(byIDs(wiki.OpDelete, uuid.New()))} {
		require.Zero(t, w.run(t, r, proposals.Credential{}).Counts.Done)
		dry := w.dry(t, r)
		require.Empty(t, dry.Token+dry.Hash)
	}
}

func TestTokenReplaysExactlyTheFrozenSetOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	ids := w.many(t, 3, tagged("x"))
	r := byTag(wiki.OpArchive, "x")
	dry := w.dry(t, r)
	require.Equal(t, 3, dry.Present)
	require.Len(t, dry.Articles, 3)
	late := w.article(t, tagged("x"))
	off := byIDs(wiki.OpRetag, ids[0])
	off.Act.RemoveTags = []string{"x"}
	w.run(t, off, proposals.Credential{}) // it has lost the tag, and is in the set all the same

	out := w.run(t, r, proposals.Credential{Token: dry.Token})
	require.Equal(t, 3, out.Counts.Done)
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, wiki.StatusArchived, a.Status)
	}
	require.Equal(t, wiki.StatusPublished, w.stands(t, late.ID)[late.ID].Status, "nobody was shown it")
	w.refuses(t, wiki.CodeTokenSpent, r, proposals.Credential{Token: dry.Token})
	require.Zero(t, w.number(t, `select count(*) from proposals where position($1::bytea in credential_hash) > 0`, []byte(dry.Token)))
	require.Zero(t, w.number(t, `select count(*) from audit_log where detail::text like '%' || $1 || '%'`, strings.TrimPrefix(dry.Token, "bp_")), "the audit keeps no credential")
}

func TestTokenIsSpentOnNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	ids := w.many(t, 2, tagged("x"), tagged("y"))
	r := byTag(wiki.OpArchive, "x")
	token := proposals.Credential{Token: w.dry(t, r).Token}
	w.refuses(t, wiki.CodeTokenOp, byTag(wiki.OpDelete, "x"), token)
	w.refuses(t, wiki.CodeTokenOp, hard(byTag(wiki.OpDelete, "x")), token)
	w.refuses(t, wiki.CodeTokenSelector, byTag(wiki.OpArchive, "y"), token)
	w.refuses(t, wiki.CodeTokenSelector, byIDs(wiki.OpArchive, ids...), token)
	w.refuses(t, wiki.CodeTokenUnknown, r, proposals.Credential{Token: "bp_invented"})
	w.refuses(t, wiki.CodeTokenUnknown, r, proposals.Credential{Hash: token.Token})
	w.refuses(t, wiki.CodeInvalid, r, proposals.Credential{Token: token.Token, Hash: "x"})
	theirs := pgtest.Tenant(t, w.db)
	_, err := w.Run(t.Context(), theirs, r, token, "")
	code(t, wiki.CodeTokenUnknown, err)
	w.clock.Pass(proposals.DefaultTokenLifetime)
	w.refuses(t, wiki.CodeTokenExpired, r, token)
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, 1, a.Version, "none of it did anything")
	}
	// The retag's tags are part of what was shown.
	retag := byTag(wiki.OpRetag, "x")
	retag.Act.AddTags = []string{"seen"}
	token = proposals.Credential{Token: w.dry(t, retag).Token}
	retag.Act.AddTags = []string{"other"}
	w.refuses(t, wiki.CodeTokenSelector, retag, token)
}

// Over the frozen bound the credential is a hash of op, selector and set, asked again at run time (SPEC §4).
func TestConfirmHashRefusesASetThatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{FrozenBound: 2})
	ids := w.many(t, 3, tagged("x"))
	r := byTag(wiki.OpArchive, "x")
	dry := w.dry(t, r)
	require.Empty(t, dry.Token)
	hash := proposals.Credential{Hash: dry.Hash}
	w.refuses(t, wiki.CodeTokenOp, byTag(wiki.OpDelete, "x"), hash)
	w.refuses(t, wiki.CodeTokenSelector, byTag(wiki.OpArchive, "y"), hash)
	w.refuses(t, wiki.CodeTokenUnknown, r, proposals.Credential{Hash: dry.Hash[:len(dry.Hash)-1]})
	_, err := w.Run(t.Context(), pgtest.Tenant(t, w.db), r, hash, "")
	code(t, wiki.CodeTokenUnknown, err)
	late := w.article(t, tagged("x"))
	w.refuses(t, wiki.CodeSetChanged, r, hash)
	hash = proposals.Credential{Hash: w.dry(t, r).Hash}
	off := byIDs(wiki.OpRetag, late.ID)
	off.Act.AddTags = []string{"edited"}
	w.run(t, off, proposals.Credential{})
	w.refuses(t, wiki.CodeSetChanged, r, hash)
	hash = proposals.Credential{Hash: w.dry(t, r).Hash}
	w.clock.Pass(proposals.DefaultTokenLifetime + time.Second)
	w.refuses(t, wiki.CodeTokenExpired, r, hash)
	hash = proposals.Credential{Hash: w.dry(t, r).Hash}
	require.Equal(t, 4, w.run(t, r, hash).Counts.Done)
	w.refuses(t, wiki.CodeTokenSpent, r, hash)
	require.Equal(t, wiki.StatusArchived, w.stands(t, ids...)[ids[0]].Status)
}

func TestARunThatIsCutIsCarriedOnAndDoesTheRestOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{Batch: 2, Budget: 1}) // one batch a call
	ids := w.many(t, 5)
	r := byIDs(wiki.OpArchive, ids...)
	for want := range 2 {
		out, err := w.Run(t.Context(), w.user, r, proposals.Credential{}, "act-1")
		require.NoError(t, err)
		require.Equal(t, proposals.StateRunning, out.State)
		require.Equal(t, 2*(want+1), out.Counts.Done)
		require.Equal(t, 5-2*(want+1), out.Counts.Left)
	}
	out, err := w.Run(t.Context(), w.user, r, proposals.Credential{}, "act-1")
	require.NoError(t, err)
	require.Equal(t, proposals.StateExecuted, out.State)
	again, err := w.Run(t.Context(), w.user, r, proposals.Credential{}, "act-1")
	require.NoError(t, err)
	require.Equal(t, out.Items, again.Items, "a repeat is answered, not done")
	_, err = w.Run(t.Context(), w.user, byIDs(wiki.OpArchive, ids[0]), proposals.Credential{}, "act-1")
	code(t, wiki.CodeKeyReused, err)
	for _, a := range w.stands(t, ids...) {
		require.Equal(t, 2, a.Version)
	}
	require.Equal(t, 2, w.number(t, `select count(*) from events where kind = 'proposal.progress'`))

	// The same by its token, whose run another takes over when its lease has ended.
	tagIDs := w.many(t, 3, tagged("x"))
	tag := byTag(wiki.OpArchive, "x")
	token := proposals.Credential{Token: w.dry(t, tag).Token}
	require.Equal(t, 1, w.run(t, tag, token).Counts.Left)
	w.exec(t, `update proposals set lease_until = $1 where state = 'running'`, w.clock.Now().Add(time.Minute))
	w.refuses(t, wiki.CodeTokenSpent, tag, token)
	w.clock.Pass(2 * time.Minute)
	require.Zero(t, w.run(t, tag, token).Counts.Left)
	require.Equal(t, 2, w.stands(t, tagIDs...)[tagIDs[2]].Version)
}

func TestAHundredReplaysOfOneTokenRunOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{})
	ids := w.many(t, 4, tagged("x"))
	r := byTag(wiki.OpArchive, "x")
	token := proposals.Credential{Token: w.dry(t, r).Token}
	var wg sync.WaitGroup
	var ran, refused atomic.Int64
	for range 100 {
		wg.Go(func() {
			_, err := w.Run(t.Context(), w.user, r, token, "")
			switch {
			case err == nil:
				ran.Add(1)
			case wiki.ErrorCode(err) == wiki.CodeTokenSpent:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, ran.Load())
	require.EqualValues(t, 99, refused.Load())
	require.Equal(t, 2, w.stands(t, ids...)[ids[0]].Version)
}

func TestTooManyIdsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{MaxIDs: 2, MaxSelected: 1})
	w.refuses(t, wiki.CodeInvalidParameter, byIDs(wiki.OpArchive, uuid.New(), uuid.New(), uuid.New()), proposals.Credential{})
	w.many(t, 2, tagged("x"))
	_, err := w.DryRun(t.Context(), w.user, byTag(wiki.OpArchive, "x"))
	code(t, wiki.CodeInvalid, err)
}
