package wiki_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestSelectorNamesItsSetInExactlyOneWay(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for name, s := range map[string]wiki.Selector{
		"none": {}, "ids and tag": {IDs: []uuid.UUID{id}, Tag: "x"}, "tag and source": {Tag: "x", SourceType: "manual", SourceID: &id},
		"half a source": {SourceType: "manual"}, "the other half": {SourceID: &id}, "unknown source": {SourceType: "rumour", SourceID: &id},
	} {
		_, err := wiki.CleanSelector(s)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), name)
	}
	s, err := wiki.CleanSelector(wiki.Selector{IDs: []uuid.UUID{id, uuid.Nil, id}})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{id, uuid.Nil}, s.IDs, "each once, in the order of the request")
	_, err = wiki.CleanSelector(wiki.Selector{IDs: []uuid.UUID{}})
	require.NoError(t, err, "an empty list names an empty set")
}

func TestBulkActTakesOnlyItsOwnParameters(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]wiki.BulkAct{
		"no op": {}, "unknown": {Op: "burn"}, "hard archive": {Op: wiki.OpArchive, Hard: true}, "tags on a delete": {Op: wiki.OpDelete, AddTags: []string{"x"}},
		"retag to nothing": {Op: wiki.OpRetag}, "both ways": {Op: wiki.OpRetag, AddTags: []string{"x"}, RemoveTags: []string{"x"}},
		"bad tag": {Op: wiki.OpRetag, AddTags: []string{"a b"}},
	} {
		_, err := wiki.CleanBulkAct(a)
		require.Error(t, err, name)
	}
	a, err := wiki.CleanBulkAct(wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"new", "new"}, RemoveTags: []string{"a b"}})
	require.NoError(t, err, "a tag that breaks the rules can be taken off")
	require.Equal(t, []string{"kept", "new"}, a.Retagged([]string{"a b", "kept"}))
}

func TestCanonicalSelectorIgnoresOrderAndNothingElse(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	act := wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"x", "y"}}
	same := act.Canonical(wiki.Selector{IDs: []uuid.UUID{a, b}})
	require.Equal(t, same, wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"y", "x"}}.Canonical(wiki.Selector{IDs: []uuid.UUID{b, a}}))
	for name, other := range map[string][]byte{
		"a smaller set":       act.Canonical(wiki.Selector{IDs: []uuid.UUID{a}}),
		"a tag for an id":     act.Canonical(wiki.Selector{Tag: a.String() + "," + b.String()}),
		"other tags":          wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"x"}}.Canonical(wiki.Selector{IDs: []uuid.UUID{a, b}}),
		"tags taken off":      wiki.BulkAct{Op: wiki.OpRetag, RemoveTags: []string{"x", "y"}}.Canonical(wiki.Selector{IDs: []uuid.UUID{a, b}}),
		"a source for an id":  act.Canonical(wiki.Selector{SourceType: "manual", SourceID: &a}),
		"another source type": act.Canonical(wiki.Selector{SourceType: "agent", SourceID: &a}),
	} {
		require.NotEqual(t, same, other, name)
	}
}

// Facts §3.5 name the reasons.
func TestSkipReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   wiki.Op
		from wiki.Status
		want string
	}{
		{wiki.OpPublish, wiki.StatusDraft, ""},
		{wiki.OpPublish, wiki.StatusPublished, "already_published"},
		{wiki.OpPublish, wiki.StatusArchived, "not_publishable_from_archived"},
		{wiki.OpPublish, wiki.StatusSuperseded, "not_publishable_from_superseded"},
		{wiki.OpUnpublish, wiki.StatusDraft, "already_draft"},
		{wiki.OpUnpublish, wiki.StatusSuperseded, ""},
		{wiki.OpUnpublish, wiki.StatusArchived, "not_unpublishable_from_archived"},
		{wiki.OpDelete, wiki.StatusArchived, "already_archived"},
		{wiki.OpArchive, wiki.StatusSuperseded, "not_archivable_from_superseded"},
	} {
		require.Equal(t, c.want, wiki.BulkAct{Op: c.op}.SkipReason(wiki.Article{Status: c.from}), "%s from %s", c.op, c.from)
	}
	require.Empty(t, wiki.BulkAct{Op: wiki.OpDelete, Hard: true}.SkipReason(wiki.Article{Status: wiki.StatusArchived}))
	retag := wiki.BulkAct{Op: wiki.OpRetag, AddTags: []string{"x"}}
	require.Equal(t, "already_tagged", retag.SkipReason(wiki.Article{Tags: []string{"x"}}))
}

// Case 82: separation goes by principal and lineage; the exception for a lone operator is for a person's own key.
func TestCase82ApprovalIsSeparateFromMinting(t *testing.T) {
	t.Parallel()
	root, child, grandchild, sibling := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	stamp := func(name string, lineage ...uuid.UUID) wiki.Stamp {
		return wiki.Stamp{Principal: name, Key: uuid.New(), Role: "user", Lineage: lineage}
	}
	person, delegate, below := stamp("person", root), stamp("delegate", root, child), stamp("below", root, child, grandchild)
	beside, stranger := stamp("beside", root, sibling), stamp("stranger", uuid.New())
	for _, c := range []struct {
		name             string
		minter, approver wiki.Stamp
		lone             bool
		allowed, excepts bool
	}{
		{"another person", person, stranger, false, true, false},
		{"siblings", delegate, beside, false, true, false},
		{"self", person, person, false, false, false},
		{"one's delegate", delegate, person, false, false, false},
		{"one's delegator", person, delegate, false, false, false},
		{"two steps away", below, person, false, false, false},
		{"a nobody minted", wiki.Stamp{}, stranger, false, false, false},
		{"a nobody approves", person, wiki.Stamp{}, true, false, false},
		{"alone", person, person, true, true, true},
		{"alone with a delegate", delegate, person, true, true, true},
		{"the delegate of one who is alone", person, delegate, true, false, false},
		{"another person, by the way", person, stranger, true, true, false},
	} {
		excepted, err := wiki.CheckApproval(c.minter, c.approver, c.lone)
		require.Equal(t, c.allowed, err == nil, c.name)
		require.Equal(t, c.excepts, excepted, c.name)
		if err != nil {
			require.Equal(t, wiki.CodeSelfApproval, wiki.ErrorCode(err), c.name)
		}
	}
}
