package wiki

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Index hubs are articles that the server writes: one for each tag that many articles carry, with links to them by category
// (facts §7). They are told by their idempotency key, never by a tag.
const (
	HubLeast       = 25  // articles that a tag needs for a hub
	HubMost        = 50  // hubs of a tenant, the biggest tags first
	HubMembers     = 300 // articles that one hub lists
	HubPerCategory = 40

	TagHub = "hub"
	TagMOC = "moc" // map of content
)

// Tags that say how something got in and not what it is about make no hub, nor do capture identities (seed, invariant 6).
var (
	hubExcluded = []string{TagHub, TagMOC, TagVerdictKill, "article", "audio", "book", "image", "pdf", "podcast", "video", "web", "youtube"}
	hubPrefixes = []string{"yt-", "doc-", "repo-", "url-", "book-", "img-", "file-", "vid-", "web-", "chunk-", "pp-", ReservedTagPrefix}
)

// MakesHub says whether a tag is one that readers look for.
func MakesHub(tag string) bool {
	return !slices.Contains(hubExcluded, tag) && !slices.ContainsFunc(hubPrefixes, func(p string) bool { return strings.HasPrefix(tag, p) })
}

// HubMember is an article that a hub lists.
type HubMember struct {
	ID       uuid.UUID
	Title    string
	Category Category
}

// Hub makes the hub of a tag, of its members in the order of their categories and titles. It gives the members that it lists.
func Hub(tag string, members []HubMember) (Article, []HubMember) {
	a := Article{
		Title: "Index: " + tag, Category: "reference", Status: StatusPublished, Tags: []string{TagHub, TagMOC, tag}, IdempotencyKey: HubKeyPrefix + tag,
	}
	var body strings.Builder
	var listed []HubMember
	for i := 0; i < len(members); {
		last := i
		for last < len(members) && members[last].Category == members[i].Category {
			last++
		}
		most := min(last-i, HubPerCategory, HubMembers-len(listed))
		fmt.Fprintf(&body, "## %s\n\n", members[i].Category)
		for _, m := range members[i : i+most] {
			body.WriteString("- " + hubLine(m.Title) + "\n")
			listed = append(listed, m)
		}
		if more := last - i - most; more > 0 {
			fmt.Fprintf(&body, "- and %d more\n", more)
		}
		body.WriteString("\n")
		i = last
	}
	a.Body = strings.TrimSpace(body.String()) + "\n"
	return a, listed
}

// hubLine links a title, unless it holds what would end the link.
func hubLine(title string) string {
	if strings.ContainsAny(title, "[]|#\n") {
		return title
	}
	return "[[" + title + "]]"
}
