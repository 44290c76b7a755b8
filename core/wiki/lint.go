package wiki

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Lint (facts §7): what a curator may want to look at. Nothing is done about it.
const (
	LintStaleAfter = 90 * 24 * time.Hour // since the text changed last
	LintCoverage   = 3                   // published articles that a category should have
	LintListed     = 50                  // issues of one kind that are listed; all are counted
)

// Kinds of issues.
const (
	LintStale         Code = "lint_stale"
	LintOrphan        Code = "lint_orphan"
	LintContradiction Code = "lint_contradiction"
	LintCoverageGap   Code = "lint_coverage_gap"
)

// LintIssue is one thing that lint found.
type LintIssue struct {
	Kind     Code
	Articles []uuid.UUID // what it is about; none for a category
	Category Category    // of a coverage gap
}

// Suggestion says what to do about an issue of a kind.
func (i LintIssue) Suggestion() string {
	switch i.Kind {
	case LintStale:
		return "read it again: update it, or archive it"
	case LintOrphan:
		return "link it with what it has to do with"
	case LintContradiction:
		return "assert the conflict, so that somebody judges which one holds"
	case LintCoverageGap:
		return "write what is known, if anything is: " + string(i.Category)
	}
	return ""
}

// Clusters gives the groups of articles that links join, the biggest first, each in the order of its ids.
func Clusters(links []Link) [][]uuid.UUID {
	above := map[uuid.UUID]uuid.UUID{}
	top := func(id uuid.UUID) uuid.UUID {
		for up, below := above[id]; below; up, below = above[id] {
			id = up
		}
		return id
	}
	seen := map[uuid.UUID]bool{}
	for _, l := range links {
		seen[l.Source], seen[l.Target] = true, true
		if a, b := top(l.Source), top(l.Target); a != b {
			above[a] = b
		}
	}
	groups := map[uuid.UUID][]uuid.UUID{}
	for id := range seen {
		groups[top(id)] = append(groups[top(id)], id)
	}
	var clusters [][]uuid.UUID
	for _, group := range groups {
		slices.SortFunc(group, compareIDs)
		clusters = append(clusters, group)
	}
	slices.SortFunc(clusters, func(a, b []uuid.UUID) int { return cmp.Or(cmp.Compare(len(b), len(a)), compareIDs(a[0], b[0])) })
	return clusters
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
