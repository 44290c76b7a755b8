package wiki

import (
	"bytes"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Pair names two articles in conflict, sorted: First < Second.
type Pair struct {
	First  uuid.UUID
	Second uuid.UUID
}

// NewPair sorts two ids. One article is no pair: CodeInvalid on "target_article_id".
func NewPair(a, b uuid.UUID) (Pair, error) {
	switch bytes.Compare(a[:], b[:]) {
	case -1:
		return Pair{a, b}, nil
	case 1:
		return Pair{b, a}, nil
	}
	return Pair{}, Invalid("target_article_id", "the two articles of a conflict must differ")
}

// IDs are the two articles.
func (p Pair) IDs() []uuid.UUID { return []uuid.UUID{p.First, p.Second} }

// String is the pair's id on the wire.
func (p Pair) String() string { return p.First.String() + "." + p.Second.String() }

// ParsePair reads a pair's id. What is none is CodeNotFound, as every malformed id is (facts §3.1).
func ParsePair(s string) (Pair, error) {
	a, b, ok := strings.Cut(s, ".")
	first, err1 := uuid.Parse(a)
	second, err2 := uuid.Parse(b)
	if !ok || err1 != nil || err2 != nil {
		return Pair{}, NotFound()
	}
	pair, err := NewPair(first, second)
	if err != nil || pair.String() != s {
		return Pair{}, NotFound()
	}
	return pair, nil
}

// ConflictState is where a pair stands.
type ConflictState string

// Conflict states.
const (
	ConflictOpen    ConflictState = "open"    // in the queue: nothing that will be applied postdates the newest flag
	ConflictJudged  ConflictState = "judged"  // a verdict waits for its execution
	ConflictSettled ConflictState = "settled" // its verdict has been applied
)

// Conflict is a pair with all that was ever said about it.
type Conflict struct {
	Pair     Pair
	Flags    []Flag
	Verdicts []Verdict
	Closed   string // why the pair needs no judging any more, such as an article that was archived; empty = it does
}

// Decision is the newest verdict that is or will be applied, or nil.
func (c Conflict) Decision() *Verdict {
	return newest(c.Verdicts, Verdict.Executable)
}

// State derives where the pair stands. A pair leaves the queue only for a verdict that will be executed and that postdates
// the newest flag (seed, invariant 4).
func (c Conflict) State() ConflictState {
	d := c.Decision()
	switch {
	case d == nil || !d.JudgedAt.After(c.newestFlag()):
		return ConflictOpen
	case d.ExecutedAt != nil:
		return ConflictSettled
	}
	return ConflictJudged
}

// Shown is the verdict to show: the decision while it stands after the newest flag, else the newest opinion.
func (c Conflict) Shown() *Verdict {
	if c.State() != ConflictOpen {
		return c.Decision()
	}
	flagged := c.newestFlag()
	return newest(c.Verdicts, func(v Verdict) bool { return v.Stands() && v.JudgedAt.After(flagged) })
}

// holding are the flags that have not lapsed. A lapsed flag keeps nothing in the queue; what a judge is shown of a pair whose
// flags have all lapsed are those.
func (c Conflict) holding() []Flag {
	var held []Flag
	for _, f := range c.Flags {
		if f.Lapsed == "" {
			held = append(held, f)
		}
	}
	return held
}

func (c Conflict) newestFlag() time.Time {
	var at time.Time
	for _, f := range c.holding() {
		if f.FlaggedAt.After(at) {
			at = f.FlaggedAt
		}
	}
	return at
}

// Flag is the flag to show and to judge separation by: of those that no decision covers, the system's, else the newest
// assertion (the system flag wins a tie). It is the zero Flag for a pair that was never flagged.
func (c Conflict) Flag() Flag {
	var best Flag
	for _, f := range c.live() {
		better := best.ID == uuid.Nil || (f.System && !best.System) || (f.System == best.System && f.FlaggedAt.After(best.FlaggedAt))
		if better {
			best = f
		}
	}
	return best
}

// live are the flags that the decision before last did not cover: what the pair is, or was last, in the queue for. A verdict
// that another replaced had covered its flags all the same.
func (c Conflict) live() []Flag {
	flagged, flags := c.newestFlag(), c.holding()
	if len(flags) == 0 {
		return c.Flags
	}
	covering := newest(c.Verdicts, func(v Verdict) bool {
		return !v.takenBack() && v.granted() && !v.JudgedAt.After(flagged)
	})
	if covering == nil {
		return flags
	}
	var live []Flag
	for _, f := range flags {
		if !covering.JudgedAt.After(f.FlaggedAt) {
			live = append(live, f)
		}
	}
	return live
}

// CheckSeparation refuses a judge who raised the conflict himself, or whose line did (CodeSelfAsserted). A live system flag
// stands on its own, so that whoever asserted the pair too may judge it; a judge that is nobody may judge nothing. It's
// asked when a verdict is recorded and again, of the stamped principals, when it is applied (SPEC §5).
func (c Conflict) CheckSeparation(judge Stamp) error {
	if !judge.Known() {
		return selfAsserted("the judge of a conflict must be known")
	}
	if c.Flag().System {
		return nil
	}
	for _, f := range c.live() {
		if !f.By.Known() || SameLine(f.By, judge) {
			return selfAsserted("the pair was asserted by you, or by a key of your own line")
		}
	}
	return nil
}

func selfAsserted(message string) error {
	e := Errorf(CodeSelfAsserted, "%s", message)
	e.Remedy = "another principal has to judge this pair"
	return e
}

// Known says whether the stamp names a principal. What nobody did, nobody can be separate from.
func (s Stamp) Known() bool { return s.Principal != "" && s.Principal != uuid.Nil.String() }

// CheckRank refuses to put a verdict in the place of one that a higher role gave (CodeForbidden): an agent doesn't overrule
// a person. A new flag opens the pair to everyone again.
func (c Conflict) CheckRank(judge Role) error {
	d := c.Decision()
	if d == nil || c.State() == ConflictOpen {
		return nil
	}
	if by, err := ParseRole(d.By.Role); err == nil && by > judge {
		e := Errorf(CodeForbidden, "a key of role %s has judged this pair", by)
		e.Remedy = "ask a key of that role to withdraw its verdict, or assert the conflict again with new evidence"
		return e
	}
	return nil
}

func newest(verdicts []Verdict, keep func(Verdict) bool) *Verdict {
	var best *Verdict
	for i, v := range verdicts {
		if keep(v) && (best == nil || v.JudgedAt.After(best.JudgedAt) || (v.JudgedAt.Equal(best.JudgedAt) && bytes.Compare(v.ID[:], best.ID[:]) > 0)) {
			best = &verdicts[i]
		}
	}
	return best
}
