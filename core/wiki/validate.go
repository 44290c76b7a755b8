package wiki

import (
	"regexp"
	"slices"
	"strings"
)

// CheckCategory answers CodeInvalid for anything but an active category; the retired one may be read, not written.
func CheckCategory(c Category) error {
	if slices.Contains(Categories, c) {
		return nil
	}
	if c == "" {
		return Invalid("category", "a category is required: %s", categoryNames())
	}
	return Invalid("category", "the category %q is not known; use one of %s", clip(string(c)), categoryNames())
}

func categoryNames() string {
	names := make([]string, len(Categories))
	for i, c := range Categories {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// CheckSourceType answers CodeInvalid for a label that is not in SourceTypes; an empty one is none.
func CheckSourceType(sourceType string) error {
	if sourceType == "" || slices.Contains(SourceTypes, sourceType) {
		return nil
	}
	return Invalid("source_type", "the source type %q is not known; use one of %s", clip(sourceType), strings.Join(SourceTypes, ", "))
}

// CleanIdempotencyKey is CleanText for the key that names a capture: at most MaxIdempotencyKeyBytes. An empty one is none.
func CleanIdempotencyKey(key string) (string, error) {
	if len(key) > MaxIdempotencyKeyBytes {
		return "", Invalid("idempotency_key", "the idempotency key has %d bytes; at most %d are allowed", len(key), MaxIdempotencyKeyBytes)
	}
	return CleanText("idempotency_key", key)
}

var slugPattern = regexp.MustCompile(`\A[a-z0-9][a-z0-9-]{0,62}[a-z0-9]\z`)

// CheckSlug answers CodeInvalid for a slug that is not 2 to 64 lower-case letters, digits and hyphens, the ends no hyphens.
func CheckSlug(slug string) error {
	if slugPattern.MatchString(slug) {
		return nil
	}
	return Invalid("slug", "a slug has 2 to 64 lower-case letters, digits and hyphens, and neither starts nor ends with a hyphen")
}

// clip keeps a refused value from filling the error that refuses it.
func clip(s string) string {
	const most = 60
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
