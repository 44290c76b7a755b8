package undo

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/text"
)

// titleColumns is how much of each title is said.
const titleColumns = 32

// Say says a verdict for people: "keep Port of gateway over Gateway port".
func Say(v api.Verdict) string {
	return Describe(v.Disposition, v.Authoritative, v.First, v.Second)
}

// Describe says a verdict on two articles for people.
func Describe(disposition string, keep *uuid.UUID, first, second api.ArticleRef) string {
	a, b := title(first), title(second)
	switch wiki.Disposition(disposition) {
	case wiki.Supersede:
		if keep != nil && *keep == second.ID {
			a, b = b, a
		}
		return "keep " + a + " over " + b
	case wiki.Merge:
		return "merge " + a + " and " + b
	}
	return "both stand, " + a + " and " + b
}

// SayTogether says the verdicts that were given together for people. Only a verdict that changes no article is given on pairs
// that were not opened.
func SayTogether(n int) string { return fmt.Sprintf("both stand, in %d pairs", n) }

func title(r api.ArticleRef) string {
	if t := text.InertLine(r.Title); t != "" {
		return "\u201c" + text.Truncate(t, titleColumns) + "\u201d"
	}
	id := r.ID.String()
	return "article " + id[len(id)-8:]
}

// backAt is when a verdict was taken back, nil when it stands.
func backAt(v api.Verdict) *time.Time {
	if v.WithdrawnAt != nil {
		return v.WithdrawnAt
	}
	return v.RevertedAt
}

// again makes the verdict that records an old one anew. The versions are left out: what was seen then is not claimed to be
// what stands now.
func again(v api.Verdict) api.NewVerdict {
	first, second := v.First.ID, v.Second.ID
	if a, b, found := strings.Cut(v.ConflictID, "."); found {
		first, second = parsed(a, first), parsed(b, second)
	}
	return api.NewVerdict{
		FirstID: first, SecondID: second, Disposition: v.Disposition, Classification: v.Classification, Confidence: v.Requested,
		Authoritative: v.Authoritative, Evidence: v.Evidence,
	}
}

func parsed(s string, otherwise uuid.UUID) uuid.UUID {
	if id, err := uuid.Parse(s); err == nil {
		return id
	}
	return otherwise
}
