package wiki

import (
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

const (
	slugBaseRunes    = 56
	slugSuffixBytes  = 3         // 6 hex digits
	slugBaseFallback = "article" // for a title without a Latin letter or digit
)

// MakeSlug derives a slug from a title (facts §1.1): lower case, accents dropped, anything else a hyphen, cut to 56, and 6
// hex digits of the id's random end. The unique index, not these digits, keeps two apart: a collision is tried again with
// another id, never overwritten (case 76).
func MakeSlug(title string, id uuid.UUID) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
		default:
			hyphen = true
		}
	}
	base := b.String()
	if len(base) > slugBaseRunes {
		base = strings.TrimRight(base[:slugBaseRunes], "-")
	}
	if base == "" {
		base = slugBaseFallback
	}
	return base + "-" + hex.EncodeToString(id[len(id)-slugSuffixBytes:])
}
