package wiki_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// A capture's identity never becomes a hub, whatever it was taken from (seed, invariant 6).
func TestSeed6CaptureTagsMakeNoHub(t *testing.T) {
	t.Parallel()
	for tag, makes := range map[string]bool{
		"postgres": true, "idem-url-0123456789ab": false, "url-0123456789ab": false, "chunk-3": false, "hub": false, "moc": false, "pdf": false, "website": true,
	} {
		require.Equal(t, makes, wiki.MakesHub(tag), tag)
	}
}

func TestHubListsMembersByCategoryWithinItsBounds(t *testing.T) {
	t.Parallel()
	var members []wiki.HubMember
	for _, category := range []wiki.Category{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		for i := range 50 {
			members = append(members, wiki.HubMember{ID: uuid.New(), Title: fmt.Sprint(category, " ", i), Category: category})
		}
	}
	members[0].Title = "What [is] this|that"
	hub, listed := wiki.Hub("go", members)
	require.Equal(t, "moc:go", hub.IdempotencyKey)
	require.True(t, wiki.IsHub(hub.IdempotencyKey))
	require.Equal(t, []string{"hub", "moc", "go"}, hub.Tags)
	require.Len(t, listed, wiki.HubMembers)
	require.Equal(t, wiki.HubMembers-1, strings.Count(hub.Body, "[["), "a title that would end its link stands without one")
	require.Contains(t, hub.Body, "## a\n\n- What [is] this|that\n- [[a 1]]\n")
	require.Contains(t, hub.Body, "- and 10 more\n", "forty of fifty")
	require.Contains(t, hub.Body, "## i\n\n- and 50 more\n", "what is left out is said")
	again, _ := wiki.Hub("go", members)
	require.Equal(t, hub, again)
}
