package conflicts

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"wiki/core/wiki"
)

// place is where a page begins: after the pair, by the order's own key.
type place struct {
	start  bool
	impact float64
	at     time.Time
	pair   wiki.Pair
}

// token is a cursor on the wire, in base64. It carries a place in an order and no right: what a page shows is decided by
// the key that asks for it. A cursor of another order is refused, since its place means nothing there.
type token struct {
	Sort   Sort    `json:"s"`
	Impact float64 `json:"i,omitempty"`
	At     int64   `json:"t,omitempty"` // microseconds
	Pair   string  `json:"p"`
}

func (f Filter) cursor(last found) string {
	t := token{Sort: f.Sort, Pair: last.Pair.String()}
	if f.Sort == SortImpact {
		t.Impact = last.impact
	} else {
		t.At = last.Flag.FlaggedAt.UnixMicro()
	}
	raw, _ := json.Marshal(t) // strings and finite numbers: it cannot fail
	return base64.RawURLEncoding.EncodeToString(raw)
}

// validate fills the defaults in and reads the cursor. Errors are CodeInvalidParameter.
func (f *Filter) validate() (place, error) {
	if f.State == "" {
		f.State = wiki.ConflictOpen
	}
	if f.Sort == "" {
		f.Sort = SortImpact
	}
	if f.Limit == 0 {
		f.Limit = DefaultLimit
	}
	switch {
	case inState[f.State] == "":
		return place{}, badParameter("state", "state must be open, judged or settled")
	case ordered[f.Sort] == "":
		return place{}, badParameter("sort", "sort must be impact, newest or oldest")
	case f.Kind != "" && f.Kind != "system" && f.Kind != "asserted":
		return place{}, badParameter("kind", "kind must be system or asserted")
	case f.Limit < 1 || f.Limit > MaxLimit:
		return place{}, badParameter("limit", "limit must be between 1 and 200")
	case !inUnit(f.MinSimilarity):
		return place{}, badParameter("min_similarity", "min_similarity must be between 0 and 1")
	case !inUnit(f.MaxSimilarity):
		return place{}, badParameter("max_similarity", "max_similarity must be between 0 and 1")
	case !anAge(f.MinAgeHours):
		return place{}, badParameter("min_age_hours", "min_age_hours must be between 0 and 87600")
	case !anAge(f.MaxAgeHours):
		return place{}, badParameter("max_age_hours", "max_age_hours must be between 0 and 87600")
	}
	if err := errors.Join(cleanWord("category", (*string)(&f.Category)), cleanWord("by", &f.By)); err != nil {
		return place{}, err
	}
	if f.Cursor == "" {
		return place{start: true}, nil
	}
	return readCursor(f.Cursor, f.Sort)
}

// maxWordRunes bounds a text that a filter compares with a name.
const maxWordRunes = 200

// cleanWord brings a text into the form in which names are stored.
func cleanWord(field string, word *string) error {
	clean, err := wiki.CleanText(field, *word)
	if err != nil || utf8.RuneCountInString(clean) > maxWordRunes {
		return badParameter(field, field+" must be UTF-8 text without NUL of at most 200 characters")
	}
	*word = clean
	return nil
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }

func anAge(hours int) bool { return hours >= 0 && hours <= MaxAgeHours }

func readCursor(cursor string, sort Sort) (place, error) {
	var t token
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil && (t.Sort != sort || math.IsNaN(t.Impact) || math.IsInf(t.Impact, 0)) {
		err = badParameter("cursor", "")
	}
	pair, pairErr := wiki.ParsePair(t.Pair)
	if err != nil || pairErr != nil {
		return place{}, badParameter("cursor", "the cursor is not one of this listing; start without one")
	}
	return place{impact: t.Impact, at: time.UnixMicro(t.At).UTC(), pair: pair}, nil
}

func badParameter(field, message string) error {
	e := wiki.Errorf(wiki.CodeInvalidParameter, "%s", message)
	e.Field = field
	return e
}
