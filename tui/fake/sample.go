package fake

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/server/api"
)

// Sample makes the n-th pair of a fixed series: two texts that differ in a port number and a sentence.
func Sample(n int, now time.Time) api.Pair {
	left := article(2*n, now, fmt.Sprintf("Gateway port %d", n), fmt.Sprintf("The gateway of service %d listens on port 8080.\n\nRestart it after a change.\n", n))
	right := article(2*n+1, now, fmt.Sprintf("Port of gateway %d", n), fmt.Sprintf("The gateway of service %d listens on port 8081.\n\nRestart it after each change, at night.\n", n))
	kind, evidence := "system", ""
	if n%4 == 3 {
		kind, evidence = "asserted", "The second one is newer; the first was never corrected."
	}
	return api.Pair{
		First: left, Second: right,
		Conflict: api.Conflict{
			Kind: kind, Evidence: evidence, Similarity: 0.97 - float64(n%20)/1000, FlaggedBy: "gate", FlaggedAt: now.Add(-time.Duration(n+1) * 7 * time.Hour),
			Differing: []api.Difference{{Kind: "number", First: "8080", Second: "8081"}},
			First:     side(left), Second: side(right),
		},
	}
}

func article(n int, now time.Time, title, body string) api.Article {
	return api.Article{
		ID: uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n+1)), Title: title, Body: &body, Category: "reference", Status: "published",
		Version: 1 + n%3, CreatedBy: []string{"ana", "ben", "importer"}[n%3], InsertedAt: now.Add(-time.Duration(n+30) * 24 * time.Hour),
		ContentChangedAt: now.Add(-time.Duration(n+1) * 24 * time.Hour), UpdatedAt: now,
	}
}

func side(a api.Article) api.ConflictSide {
	return api.ConflictSide{
		ID: a.ID, Title: a.Title, Category: a.Category, Status: a.Status, Version: a.Version, CreatedBy: a.CreatedBy,
		InsertedAt: a.InsertedAt, ChangedAt: a.ContentChangedAt, BodyBytes: len(*a.Body), Reads: a.Version * 4,
	}
}
