package wiki

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// DriftSignal is by what two captures of one thing give themselves away although the unique indexes let both in.
type DriftSignal string

// Drift signals (facts §7, consolidation).
const (
	DriftTitle DriftSignal = "title" // the titles are one but for their writing
	DriftKey   DriftSignal = "key"   // the idempotency keys are
)

// CopyAt is the cosine from which a copy by a drift signal is corroborated (facts §7). Both signals need it: a title and a
// key are the caller's to choose (seed, invariant 4, corroboration).
const CopyAt Cosine = 0.80

// Capture is what is known of a published article when copies are looked for.
type Capture struct {
	ID         uuid.UUID
	Title      string
	Key        string // idempotency key; may be empty
	Owner      string // "" = shared: a private article is no copy of another's
	InsertedAt time.Time
}

// CopyGroup are captures that one signal says are one, the oldest first.
type CopyGroup struct {
	Signal  DriftSignal
	Digest  string // of what they have in common
	Members []Capture
}

// Winner is the member that stays. Age is the one input that a later writer cannot manufacture (seed, invariant 4).
func (g CopyGroup) Winner() Capture { return g.Members[0] }

// CopyGroups finds the captures that a drift signal says are one. Groups, and the members of each, come oldest first.
func CopyGroups(captures []Capture) []CopyGroup {
	type place struct {
		signal DriftSignal
		digest string
	}
	found := map[place][]Capture{}
	for _, c := range captures {
		found[place{DriftTitle, digestOf(c.Owner, c.Title)}] = append(found[place{DriftTitle, digestOf(c.Owner, c.Title)}], c)
		if c.Key != "" && !IsHub(c.Key) {
			found[place{DriftKey, digestOf(c.Owner, c.Key)}] = append(found[place{DriftKey, digestOf(c.Owner, c.Key)}], c)
		}
	}
	var groups []CopyGroup
	for at, members := range found {
		if len(members) < 2 {
			continue
		}
		slices.SortFunc(members, older)
		groups = append(groups, CopyGroup{Signal: at.signal, Digest: at.digest, Members: members})
	}
	slices.SortFunc(groups, func(a, b CopyGroup) int {
		return cmp.Or(older(a.Winner(), b.Winner()), cmp.Compare(a.Signal, b.Signal), cmp.Compare(a.Digest, b.Digest))
	})
	return groups
}

func older(a, b Capture) int {
	return cmp.Or(a.InsertedAt.Compare(b.InsertedAt), slices.Compare(a.ID[:], b.ID[:]))
}

// digestOf is what two writings of one title or key share: compatible characters, case and blanks make no difference.
func digestOf(owner, text string) string {
	same := strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(text))), " ")
	sum := sha256.Sum256([]byte(owner + "\x00" + norm.NFKC.String(same)))
	return hex.EncodeToString(sum[:])
}

// CopyOf names one claim that a capture is a copy: what a night's report holds, and what a score is kept under. A score
// under the other signal, or of another member, says nothing of it.
type CopyOf struct {
	Signal DriftSignal
	Member uuid.UUID
}

// Claim is what one night says of a capture.
type Claim struct {
	CopyOf
	Winner uuid.UUID
	Digest string
}

// Claims are those of a night's groups: each member but the winner is a copy of it. A winner that another group would take
// away is none tonight, since what its copies say must stay in what is left.
func Claims(groups []CopyGroup) []Claim {
	losers := map[uuid.UUID]bool{}
	for _, g := range groups {
		for _, m := range g.Members[1:] {
			losers[m.ID] = true
		}
	}
	var claims []Claim
	for _, g := range groups {
		if losers[g.Winner().ID] {
			continue
		}
		for _, m := range g.Members[1:] {
			claims = append(claims, Claim{CopyOf{g.Signal, m.ID}, g.Winner().ID, g.Digest})
		}
	}
	return claims
}

// Reasons why a copy is withheld.
const (
	CopyUnconfirmed    Code = "copy_unconfirmed"    // the last night did not say so: the next may confirm it
	CopyUncorroborated Code = "copy_uncorroborated" // their texts are not alike, or cannot be compared
	CopyDiffers        Code = "copy_differs"        // they say different things
	CopyCurated        Code = "copy_curated"        // somebody vouched for it
	CopyKept           Code = "copy_kept"           // it was retracted before, and somebody brought it back
	CopyChanged        Code = "copy_changed"        // it, or what it is a copy of, is not what it was when it was found
)

// Corroborated says whether a claimed copy may be retracted, or why not: scored by the claim itself, at CopyAt or above, and
// with nothing in it that the winner says differently (SPEC §3, evidence beyond cosine). Without a score it may not.
func Corroborated(c Claim, scores map[CopyOf]Cosine, differing []Difference) (why Code) {
	score, measured := scores[c.CopyOf]
	switch {
	case !measured || score < CopyAt:
		return CopyUncorroborated
	case len(differing) > 0:
		return CopyDiffers
	}
	return ""
}
