package wiki

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ReservedTagPrefix starts the tags that name a capture: idem-<family>-<digest>. Reserving it is defence in depth, not
// authority: the idempotency_key column is what the server guarantees (seed, invariant 6).
const ReservedTagPrefix = "idem-"

var (
	tagPattern = regexp.MustCompile(`\A[\p{L}\p{N}_-]+\z`)
	// Both eras of the digest: a full SHA-1, and the 12 digits it was later cut to.
	reservedPattern = regexp.MustCompile(`\Aidem-[a-z][a-z0-9]*(?:-[a-z0-9]+)*?-(?:[0-9a-f]{12}|[0-9a-f]{40})\z`)
)

const reservedTagRemedy = "use idem-<family>-<digest> with a digest of 12 or 40 lower-case hex digits, or a tag that does not start with idem-"

// CheckTag says what is wrong with one tag: CodeInvalid for its form, CodeReservedTag for a malformed idem- tag.
func CheckTag(tag string) error {
	switch {
	case tag == "":
		return Invalid("tags", "a tag is empty")
	case len(tag) > MaxTagBytes:
		return Invalid("tags", "a tag has %d bytes; at most %d are allowed", len(tag), MaxTagBytes)
	case !tagPattern.MatchString(tag):
		return Invalid("tags", "the tag %q may hold only letters, digits, _ and -", tag)
	case strings.HasPrefix(tag, ReservedTagPrefix) && !reservedPattern.MatchString(tag):
		return &Error{
			Code: CodeReservedTag, Field: "tags", Remedy: reservedTagRemedy,
			Message: "the tag " + tag + " starts with idem-, which is reserved for capture identities",
		}
	}
	return nil
}

// CheckTags checks a request's tags: the first fault is the error.
func CheckTags(tags []string) error {
	if len(tags) > MaxTags {
		return Invalid("tags", "%d tags are too many; at most %d are allowed", len(tags), MaxTags)
	}
	for _, tag := range tags {
		if err := CheckTag(tag); err != nil {
			return err
		}
	}
	return nil
}

// SanitiseTags makes tags fit on a machine path, where one bad tag must not fail a batch: it replaces what a tag may not
// hold, and drops duplicates, empty tags, malformed idem- tags and those beyond MaxMachineTags. A well-formed idem- tag
// survives only when it arrived byte-identical: one that became reserved by sanitising claims an identity it never had.
func SanitiseTags(tags []string) []string {
	var kept []string
	for _, tag := range tags {
		clean := sanitiseTag(tag)
		if coerced := clean != tag && strings.HasPrefix(clean, ReservedTagPrefix); !coerced {
			kept = append(kept, clean)
		}
	}
	return fitTags(kept, MaxMachineTags)
}

// MergeTags puts the tags of two articles together, as they stand: what was written under older rules, such as a malformed
// idem- tag, is dropped rather than failing the merge.
func MergeTags(lead, other []string) []string {
	return fitTags(slices.Concat(lead, other), MaxTags)
}

// fitTags keeps the tags that may be stored, each once, in order and at most most of them. Capture identities go before
// the others, since nothing else could bring one back (seed, invariant 6).
func fitTags(tags []string, most int) []string {
	var fit []string
	captures := 0
	for _, tag := range tags {
		if CheckTag(tag) != nil || slices.Contains(fit, tag) {
			continue
		}
		fit = append(fit, tag)
		if strings.HasPrefix(tag, ReservedTagPrefix) {
			captures++
		}
	}
	room := max(most-captures, 0) // for the others
	kept := fit[:0]
	for _, tag := range fit {
		capture := strings.HasPrefix(tag, ReservedTagPrefix)
		if !capture {
			room--
		}
		if (capture || room >= 0) && len(kept) < most {
			kept = append(kept, tag)
		}
	}
	return kept
}

var notTag = regexp.MustCompile(`[^\p{L}\p{N}_-]+`)

func sanitiseTag(tag string) string {
	clean := strings.TrimLeft(notTag.ReplaceAllString(norm.NFC.String(tag), "-"), "-")
	for len(clean) > MaxTagBytes { // cut on a rune border
		_, last := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-last]
	}
	return strings.TrimRight(clean, "-")
}
