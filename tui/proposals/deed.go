package proposals

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Deed implements screen.Acting.
func (s *Screen) Deed(id action.ID) *screen.Deed {
	if s.one == nil || s.one.proposal == nil {
		return nil
	}
	p, subject := *s.one.proposal, s.one.id
	switch id {
	case action.ProposalApprove:
		return s.approval(p)
	case action.Accept:
		reason := strings.TrimSpace(s.field.Text())
		if reason == "" {
			return nil
		}
		return &screen.Deed{Act: outbox.Act{Kind: outbox.Reject, Subject: &subject, What: "reject: " + Say(p), Reason: reason}}
	case action.ProposalRecall:
		return &screen.Deed{
			Act: outbox.Act{Kind: outbox.Recall, Subject: &subject, What: "withdraw: " + Say(p)},
			Ask: &screen.Question{
				Title: "Withdraw “" + Say(p) + "”?",
				Lines: []string{"Nobody can approve it any more, and this is not undone: it would have to be made again."},
				Verb:  "Withdraw it",
			},
		}
	}
	return nil
}

// approval is the deed of carrying the proposal out, with all that it would do in the question.
func (s *Screen) approval(p api.BulkProposal) *screen.Deed {
	c, t, subject := s.choice(), s.tally(), s.one.id
	in := api.Approval{Exclude: sorted(c.out)}
	for _, id := range sortedKeys(c.meant) {
		if !c.out[id] {
			in.Reconfirm = append(in.Reconfirm, api.Reconfirmed{ID: id, Version: c.meant[id]})
		}
	}
	what := doing(p) + " " + when.Count(t.does, "article", "articles")
	lines := []string{effect(p)}
	for _, l := range []struct {
		n   int
		say string
	}{
		{t.out, "%s left out, as you chose."}, {t.changed, "%s changed since the proposal was made, and left alone."}, {t.gone, "%s not there any more."},
	} {
		if l.n > 0 {
			lines = append(lines, fmt.Sprintf(l.say, when.Count(l.n, "article is", "articles are")))
		}
	}
	if cost := cost(p.Impact); cost != "" {
		lines = append(lines, "The whole set: "+cost+".")
	}
	lines = append(lines, undoing(p))
	return &screen.Deed{
		Act: outbox.Act{Kind: outbox.Approve, Subject: &subject, What: what, Approval: &in},
		Ask: &screen.Question{Title: what + "?", Lines: lines, Verb: what},
	}
}

func sortedKeys(m map[uuid.UUID]int) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
}

// Say says a proposal for people: "Archive 12 articles".
func Say(p api.BulkProposal) string {
	return doing(p) + " " + when.Count(p.Counts["requested"], "article", "articles")
}

// doing is what is done to each article of the set.
func doing(p api.BulkProposal) string {
	if p.Hard {
		return "Delete for good"
	}
	op := text.InertLine(p.Op)
	if op == "" {
		return "Change"
	}
	return strings.ToUpper(op[:1]) + op[1:]
}

func effect(p api.BulkProposal) string {
	switch op := wiki.Op(p.Op); {
	case p.Hard:
		return "The articles and all their versions are gone."
	case op == wiki.OpArchive, op == wiki.OpDelete:
		return "The articles leave reading and search; their texts and versions are kept."
	case op == wiki.OpPublish:
		return "The drafts are published as they are, and answer questions from then on."
	case op == wiki.OpUnpublish:
		return "The articles become drafts, and no longer answer questions."
	case op == wiki.OpRetag:
		return "Tags: " + tags(p) + "."
	}
	return ""
}

func undoing(p api.BulkProposal) string {
	if p.Hard {
		return "This cannot be undone."
	}
	return "This is not undone as one act: each article can be brought back by itself."
}

// tags says what a retag changes: "+old -new".
func tags(p api.BulkProposal) string {
	var parts []string
	for _, t := range p.AddTags {
		parts = append(parts, "+"+t)
	}
	for _, t := range p.RemoveTags {
		parts = append(parts, "-"+t)
	}
	return text.InertLine(strings.Join(parts, " "))
}

// cost says what the wiki would lose, "" for nothing.
func cost(i api.Impact) string {
	var parts []string
	if i.LinkCount > 0 {
		parts = append(parts, when.Count(i.LinkCount, "link breaks", "links break"))
	}
	if i.CuratedCount > 0 {
		parts = append(parts, when.Count(i.CuratedCount, "curated answer goes", "curated answers go"))
	}
	if n := len(i.Golden); n > 0 {
		parts = append(parts, when.Count(n, "golden question loses its answer", "golden questions lose their answers"))
	}
	return strings.Join(parts, ", ")
}

// Outcome says what became of the articles of a set: "12 archived, 1 excluded".
func Outcome(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > 0 && name != "requested" {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(text.InertLine(name), "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "nothing was left to do"
	}
	return strings.Join(parts, ", ")
}
