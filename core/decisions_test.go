package core_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// deciders are the rooms that write what was decided, by table.
var deciders = map[string][]string{
	"conflict_verdicts": {"conflicts"},
	"conflict_claims":   {"conflicts"},
	"conflict_flags":    {"flags"},
	"conflict_pairs":    {"flags"},
	"proposals":         {"proposals"},
	"proposal_items":    {"proposals"},
}

var writesTable = regexp.MustCompile(`(?i)\b(?:insert into|update|delete from)\s+(?:only\s+)?(\w+)`)

// Case 88: decisions were possible in one surface only, each with rules of its own. Here one room decides for all of them: no
// other writes what was decided, whoever calls it.
func TestCase88EachDecisionIsWrittenInOneRoom(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for _, s := range readSource(t) {
		for _, m := range writesTable.FindAllStringSubmatch(s.SQL, -1) {
			rooms, decided := deciders[m[1]]
			if !decided {
				continue
			}
			written[m[1]] = true
			require.True(t, slices.Contains(rooms, s.Room), "%s (%s) writes %s: decisions are made in %v, for every surface", s.ID(), s.At, m[1], rooms)
		}
	}
	require.Len(t, written, len(deciders), "the test sees each table written")
}
