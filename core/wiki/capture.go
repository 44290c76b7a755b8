package wiki

import (
	"regexp"
	"slices"
	"strings"
)

// CaptureFamilies are the kinds of source whose captures were tagged <family>-<digest> before the idem- namespace was
// reserved (facts §7). Nothing else is taken for a capture: commit-<sha> and release-202604150930 have the same shape.
var CaptureFamilies = []string{"book", "doc", "file", "img", "repo", "url", "vid", "web", "yt"}

var legacyPattern = regexp.MustCompile(`\A(?:` + strings.Join(CaptureFamilies, "|") + `)-(?:[0-9a-f]{12}|[0-9a-f]{40})\z`)

// LegacyCapturePattern is the shape of a legacy capture tag, as PostgreSQL reads it.
var LegacyCapturePattern = "^(" + strings.Join(CaptureFamilies, "|") + ")-([0-9a-f]{12}|[0-9a-f]{40})$"

// LegacyCapture says whether a tag is a capture identity of the time before the reservation: a known family and a digest of
// 12 or 40 lower-case hex digits, both (seed, invariant 6).
func LegacyCapture(tag string) bool { return legacyPattern.MatchString(tag) }

// ReserveTags gives each legacy capture tag its reserved form beside it, or with drop takes away those that have it: readers
// that know only the old form go on finding them until the second pass. full counts the tags that MaxTags left no room for.
func ReserveTags(tags []string, drop bool) (after []string, changed, full int) {
	after = slices.Clone(tags)
	for _, tag := range tags {
		if !LegacyCapture(tag) {
			continue
		}
		reserved := ReservedTagPrefix + tag
		stands := slices.Contains(after, reserved)
		switch {
		case drop && stands:
			after = slices.DeleteFunc(after, func(t string) bool { return t == tag })
			changed++
		case drop, stands:
		case len(after) >= MaxTags:
			full++
		default:
			after = append(after, reserved)
			changed++
		}
	}
	return after, changed, full
}
