package wiki

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// TitleConflict is the answer to a title that another active article holds. The id is safe to tell: titles are unique
// among what the writer can see (SPEC §3).
func TitleConflict(existing uuid.UUID) *Error {
	return &Error{
		Code: CodeTitleConflict, Field: "title", Message: "another active article has this title",
		Remedy:  "read that article; then update it, or choose another title",
		Details: map[string]any{"existing_article_id": existing},
	}
}

// CleanArticle is where every writer converges: the fields that a request or a machine sets, in the form in which they are
// stored, or the first one at fault. Machine paths bring tags that SanitiseTags has passed.
func CleanArticle(a Article) (Article, error) {
	var err error
	if a.Title, err = CleanTitle(a.Title); err != nil {
		return a, err
	}
	if a.Body, err = CleanBody(a.Body); err != nil {
		return a, err
	}
	if err = CheckCategory(a.Category); err != nil {
		return a, err
	}
	if a.Tags, err = CleanTags(a.Tags); err != nil {
		return a, err
	}
	if err = CheckSourceType(a.SourceType); err != nil {
		return a, err
	}
	if a.IdempotencyKey, err = CleanIdempotencyKey(a.IdempotencyKey); err != nil {
		return a, err
	}
	if a.Slug != "" {
		if err = CheckSlug(a.Slug); err != nil {
			return a, err
		}
	}
	return a, checkConventions(a.Metadata)
}

// Edited gives an article after a change its consequences, on the columns that no request writes (SPEC §2):
//   - content_changed_at moves only when the body changes (seed, "Recency ranks AUTHORED age");
//   - an ordinary title edit clears previous_title, which ends the suppression of title drift (seed, invariant 1);
//   - any change to title, body or status ends a curation;
//   - moving to draft on purpose stages it, so that no nightly pass publishes it; leaving draft ends that.
func Edited(before, after Article, now time.Time) Article {
	title, body, status := before.Title != after.Title, before.Body != after.Body, before.Status != after.Status
	if body {
		after.ContentChangedAt = now
	}
	if title {
		after.PreviousTitle = ""
	}
	if title || body {
		after.ContentHash = ContentHash(after.Title, after.Body)
	}
	if title || body || status {
		after.CuratedAt, after.CuratedBy = nil, ""
	}
	if status {
		after.StagedDraftAt = nil
		if after.Status == StatusDraft {
			after.StagedDraftAt = &now
		}
	}
	return after
}

// Changed names the fields that a writer may set and in which two states of an article differ.
func Changed(before, after Article) []string {
	var fields []string
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"title", before.Title != after.Title},
		{"body", before.Body != after.Body},
		{"category", before.Category != after.Category},
		{"status", before.Status != after.Status},
		{"tags", !slices.Equal(before.Tags, after.Tags)},
		{"slug", before.Slug != after.Slug},
		{"metadata", !SameMetadata(before.Metadata, after.Metadata)},
		{"project_id", !sameID(before.Project, after.Project)},
	} {
		if f.changed {
			fields = append(fields, f.name)
		}
	}
	return fields
}

func sameID(a, b *uuid.UUID) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}
