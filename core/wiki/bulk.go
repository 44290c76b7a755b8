package wiki

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Op is what a set-based act does to each article of its set (SPEC §4).
type Op string

// Ops. OpDelete archives, unless it is hard.
const (
	OpArchive   Op = "archive"
	OpDelete    Op = "delete"
	OpPublish   Op = "publish"
	OpUnpublish Op = "unpublish"
	OpRetag     Op = "retag"
)

// Ops lists them in the order shown to people.
var Ops = []Op{OpArchive, OpDelete, OpPublish, OpUnpublish, OpRetag}

// BulkAct is an op and its parameters: the type of a proposal. A proposal of one act is never spent on another.
type BulkAct struct {
	Op         Op
	Hard       bool     // of OpDelete: the text goes for good
	AddTags    []string // of OpRetag
	RemoveTags []string // of OpRetag
}

// String names the act for people.
func (a BulkAct) String() string {
	if a.Hard {
		return "hard delete"
	}
	return string(a.Op)
}

// Done is the outcome of an article to which the act was done.
func (a BulkAct) Done() string {
	switch a.Op {
	case OpRetag:
		return "retagged"
	case OpArchive, OpDelete:
		return string(a.Op) + "d"
	}
	return string(a.Op) + "ed"
}

// CleanBulkAct gives the act in the form in which it is stored, or CodeInvalid on the field at fault.
func CleanBulkAct(a BulkAct) (BulkAct, error) {
	if !slices.Contains(Ops, a.Op) {
		return a, Invalid("op", "the op %q is not known; use archive, delete, publish, unpublish or retag", clip(string(a.Op)))
	}
	if a.Hard && a.Op != OpDelete {
		return a, Invalid("hard", "only a delete can be hard")
	}
	var err error
	if a.AddTags, err = CleanTags(a.AddTags); err != nil {
		return a, OfField(err, "add_tags")
	}
	if a.RemoveTags, err = cleanRemoved(a.RemoveTags); err != nil {
		return a, err
	}
	tags := len(a.AddTags) + len(a.RemoveTags)
	switch {
	case a.Op == OpRetag && tags == 0:
		return a, Invalid("add_tags", "a retag needs tags to add or to remove")
	case a.Op != OpRetag && tags > 0:
		return a, Invalid("add_tags", "only a retag takes tags")
	}
	for _, tag := range a.AddTags {
		if slices.Contains(a.RemoveTags, tag) {
			return a, Invalid("remove_tags", "the tag %s is both added and removed", tag)
		}
	}
	return a, nil
}

// cleanRemoved takes tags that break today's rules too: taking those off is what a retag may be for.
func cleanRemoved(tags []string) ([]string, error) {
	clean := make([]string, 0, len(tags))
	for _, tag := range tags {
		tag, err := CleanText("remove_tags", tag)
		if err != nil {
			return nil, err
		}
		if tag == "" || len(tag) > MaxTagBytes {
			return nil, Invalid("remove_tags", "a tag has 1 to %d bytes", MaxTagBytes)
		}
		if !slices.Contains(clean, tag) {
			clean = append(clean, tag)
		}
	}
	if len(clean) > MaxTags {
		return nil, Invalid("remove_tags", "%d tags are too many; at most %d are allowed", len(clean), MaxTags)
	}
	return clean, nil
}

// Retagged gives an article's tags after a retag: those that stay in their order, then the new ones.
func (a BulkAct) Retagged(tags []string) []string {
	out := make([]string, 0, len(tags)+len(a.AddTags))
	for _, tag := range append(slices.Clone(tags), a.AddTags...) {
		if !slices.Contains(a.RemoveTags, tag) && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// bulkSources are the statuses on which an op has work to do; facts §1.4 has the transitions.
var bulkSources = map[Op][]Status{
	OpArchive:   {StatusDraft, StatusPublished},
	OpDelete:    {StatusDraft, StatusPublished},
	OpPublish:   {StatusDraft},
	OpUnpublish: {StatusPublished, StatusSuperseded},
	OpRetag:     {StatusDraft, StatusPublished, StatusSuperseded, StatusArchived},
}

// Matches are the statuses of the articles that a tag or a source names for the act: those that it would change. What it
// would only skip is no match, so that a run that was repeated finds nothing. A superseded article is unpublished only by
// its id: to a set it is out of use already.
func (a BulkAct) Matches() []Status {
	switch {
	case a.Hard:
		return []Status{StatusDraft, StatusPublished, StatusSuperseded, StatusArchived}
	case a.Op == OpUnpublish:
		return []Status{StatusPublished}
	case a.Op == OpRetag:
		return []Status{StatusDraft, StatusPublished, StatusSuperseded}
	}
	return bulkSources[a.Op]
}

// SkipReason says why the act leaves an article alone, in the words of facts §3.5; empty when it does not.
func (a BulkAct) SkipReason(stored Article) string {
	switch {
	case a.Hard:
		return ""
	case a.Op == OpRetag:
		if slices.Equal(a.Retagged(stored.Tags), stored.Tags) {
			return "already_tagged"
		}
		return ""
	case slices.Contains(bulkSources[a.Op], stored.Status):
		return ""
	}
	target := map[Op]Status{OpArchive: StatusArchived, OpDelete: StatusArchived, OpPublish: StatusPublished, OpUnpublish: StatusDraft}[a.Op]
	if stored.Status == target {
		return "already_" + string(target)
	}
	verb := map[Op]string{OpArchive: "archivable", OpDelete: "archivable", OpPublish: "publishable", OpUnpublish: "unpublishable"}[a.Op]
	return "not_" + verb + "_from_" + string(stored.Status)
}

// Selector names the set of an act: exactly one of ids, a source, or a tag.
type Selector struct {
	IDs        []uuid.UUID // in the order of the request
	SourceType string
	SourceID   *uuid.UUID
	Tag        string
}

// SelectorKind is how a set is named.
type SelectorKind string

// Selector kinds.
const (
	SelectIDs    SelectorKind = "article_ids"
	SelectSource SelectorKind = "source"
	SelectTag    SelectorKind = "tag"
)

// Kind says how the set is named.
func (s Selector) Kind() SelectorKind {
	switch {
	case s.Tag != "":
		return SelectTag
	case s.SourceType != "" || s.SourceID != nil:
		return SelectSource
	}
	return SelectIDs
}

// String names the set for people.
func (s Selector) String() string {
	switch s.Kind() {
	case SelectTag:
		return "tag " + s.Tag
	case SelectSource:
		return "source " + s.SourceType + " " + s.SourceID.String()
	}
	return fmt.Sprintf("%d ids", len(s.IDs))
}

// CleanSelector gives the selector with each id once, or CodeInvalid: exactly one way of naming the set (facts §3.5).
func CleanSelector(s Selector) (Selector, error) {
	ways := 0
	for _, given := range []bool{s.IDs != nil, s.SourceType != "" || s.SourceID != nil, s.Tag != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		e := Invalid("article_ids", "exactly one selector is needed")
		e.Remedy = "send article_ids, or source_type with source_id, or tag"
		return s, e
	}
	var err error
	switch s.Kind() {
	case SelectSource:
		if s.SourceType == "" {
			return s, Invalid("source_type", "source_id needs source_type beside it")
		}
		if s.SourceID == nil {
			return s, Invalid("source_id", "source_type needs source_id beside it")
		}
		return s, CheckSourceType(s.SourceType)
	case SelectTag:
		if s.Tag, err = CleanText("tag", s.Tag); err == nil && len(s.Tag) > MaxTagBytes {
			err = Invalid("tag", "a tag has at most %d bytes", MaxTagBytes)
		}
		return s, err
	}
	seen := map[uuid.UUID]bool{}
	ids := make([]uuid.UUID, 0, len(s.IDs))
	for _, id := range s.IDs {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	s.IDs = ids
	return s, nil
}

// NeedsProposal says whether the act on such a set is refused without one: the caller must have seen the set (seed,
// invariant 4). A hard delete always is; so is whatever a tag names, for a caller never holds that set.
func (a BulkAct) NeedsProposal(s Selector) bool { return a.Hard || s.Kind() == SelectTag }

// Canonical is the text that a selector's keyed digest is made of, with the act's parameters: the same set named in another
// order is the same selector.
func (a BulkAct) Canonical(s Selector) []byte {
	var out bytes.Buffer
	part := func(text string) { // with its length, so that no two lists of parts look alike
		_ = binary.Write(&out, binary.BigEndian, uint64(len(text)))
		out.WriteString(text)
	}
	part(string(s.Kind()))
	part(s.Tag)
	part(s.SourceType)
	if s.SourceID != nil {
		part(s.SourceID.String())
	}
	ids := make([]string, len(s.IDs))
	for i, id := range s.IDs {
		ids[i] = id.String()
	}
	slices.Sort(ids)
	part(strings.Join(ids, ","))
	for _, tags := range [][]string{a.AddTags, a.RemoveTags} {
		sorted := slices.Sorted(slices.Values(tags))
		part(strings.Join(sorted, ","))
	}
	return out.Bytes()
}

// CheckApproval says whether a proposal that one principal minted may be settled by another: not by the minter, nor by the
// minter's ancestors or descendants, and nobody settles for an unknown minter (SPEC §4). A tenant that has said that it has a
// lone operator is excepted, for keys that no dispatch made: what acts for the person is still the same subject (case 82).
// excepted tells that only the exception allowed it. The error is CodeSelfApproval.
func CheckApproval(minter, approver Stamp, loneOperator bool) (excepted bool, err error) {
	if approver.Known() && minter.Known() && !SameLine(minter, approver) {
		return false, nil
	}
	if loneOperator && approver.Known() && len(approver.Lineage) <= 1 {
		return true, nil
	}
	e := Errorf(CodeSelfApproval, "the proposal was minted by you, or by a key of your own line")
	e.Remedy = "another principal of role user has to settle it; a tenant with one person can be set so with: wiki-server tenant lone-operator"
	return false, e
}
