package wiki_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// Every pair of statuses: the least role that may go from one to the other, by a verb and by naming the status (facts §1.4,
// SPEC §1). A pair that is not here is refused to everyone.
func TestCheckTransition(t *testing.T) {
	t.Parallel()
	type move struct{ from, to wiki.Status }
	verb := map[move]wiki.Role{
		{"draft", "published"}:    wiki.RoleOrchestrator,
		{"published", "draft"}:    wiki.RoleUser,
		{"superseded", "draft"}:   wiki.RoleUser,
		{"draft", "archived"}:     wiki.RoleAgent,
		{"published", "archived"}: wiki.RoleAgent,
	}
	named := map[move]wiki.Role{{"archived", "draft"}: wiki.RoleUser, {"archived", "published"}: wiki.RoleUser}
	for m, least := range verb {
		named[m] = least
	}
	statuses := []wiki.Status{"draft", "published", "archived", "superseded"}
	for _, from := range statuses {
		for _, to := range statuses {
			for role := wiki.RoleAgent; role <= wiki.RoleSuperadmin; role++ {
				for explicit, table := range map[bool]map[move]wiki.Role{false: verb, true: named} {
					err := wiki.CheckTransition(wiki.Actor{Role: role}, from, to, explicit)
					least, allowed := table[move{from, to}]
					switch {
					case !allowed:
						require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err), "%s to %s", from, to)
						require.ErrorContains(t, err, "cannot transition from "+string(from)+" to "+string(to))
					case role < least:
						require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(err), "%s to %s as %s", from, to, role)
					default:
						require.NoError(t, err, "%s to %s as %s", from, to, role)
					}
				}
			}
		}
	}
}

func TestCheckDecided(t *testing.T) {
	t.Parallel()
	allowed := map[[2]wiki.Status]bool{
		{"draft", "superseded"}: true, {"published", "superseded"}: true, {"superseded", "published"}: true,
		{"superseded", "draft"}: true, {"draft", "published"}: true, {"published", "draft"}: true,
	}
	statuses := []wiki.Status{"draft", "published", "archived", "superseded"}
	for _, from := range statuses {
		for _, to := range statuses {
			err := wiki.CheckDecided(from, to)
			if allowed[[2]wiki.Status{from, to}] {
				require.NoError(t, err, "%s to %s", from, to)
			} else {
				require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err), "%s to %s", from, to)
			}
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	status, err := wiki.ParseStatus("archived")
	require.NoError(t, err)
	require.Equal(t, wiki.StatusArchived, status)
	_, err = wiki.ParseStatus("live")
	requireFault(t, err, wiki.CodeInvalid, "status")
}

func TestClosedLists(t *testing.T) {
	t.Parallel()
	for _, c := range wiki.Categories {
		require.NoError(t, wiki.CheckCategory(c))
	}
	for _, bad := range []wiki.Category{"", "convention", "Pattern", "x\x00"} {
		requireFault(t, wiki.CheckCategory(bad), wiki.CodeInvalid, "category")
	}
	require.NoError(t, wiki.CheckSourceType(""))
	require.NoError(t, wiki.CheckSourceType("manual"))
	requireFault(t, wiki.CheckSourceType("rumour"), wiki.CodeInvalid, "source_type")
	_, err := wiki.CleanIdempotencyKey("a\x00")
	requireFault(t, err, wiki.CodeInvalid, "idempotency_key")
	_, err = wiki.CleanIdempotencyKey(string(make([]byte, 256)))
	requireFault(t, err, wiki.CodeInvalid, "idempotency_key")
}
