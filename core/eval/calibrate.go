package eval

import (
	"context"
	"slices"

	"wiki/core/embedding"
	"wiki/core/wiki"
)

// Rate is how well a rule finds what it is there to find, each from 0 to 1. Precision is 1 for a rule that finds nothing.
type Rate struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	Wrong     int     `json:"wrong"` // pairs found that should not have been
}

// SweepLine is what one threshold does to a set of labelled pairs (SPEC §12).
type SweepLine struct {
	At        wiki.Cosine `json:"at"`
	Duplicate Rate        `json:"duplicate"`      // of calling a pair a duplicate, evidence included; right is LabelSame
	ByCosine  Rate        `json:"cosine_alone"`   // the same without the evidence
	Near      Rate        `json:"low_novelty"`    // of keeping the second as a draft, or not at all; right is LabelSame and LabelTwin
	Flagged   Rate        `json:"twins_to_queue"` // of sending a pair to the curators; right is LabelTwin
}

// Where the sweep begins and ends, in hundredths of a cosine.
const (
	sweepFrom = 70
	sweepTo   = 100
)

// Sweep runs the gate's decision on measured pairs with each threshold from 0.70 to 1, in steps of 0.01.
func Sweep(pairs []Measured) []SweepLine {
	lines := make([]SweepLine, 0, sweepTo-sweepFrom+1)
	for at := sweepFrom; at <= sweepTo; at++ {
		lines = append(lines, sweepLine(pairs, wiki.Cosine(at)/100))
	}
	return lines
}

func sweepLine(pairs []Measured, at wiki.Cosine) SweepLine {
	var duplicate, byCosine, near, flagged tally
	for _, p := range pairs {
		n := p.judge(wiki.Thresholds{DuplicateAt: at, LowNoveltyAt: at, ConflictAt: 1})
		duplicate.count(n.Grade == wiki.GradeDuplicate, p.Label == LabelSame)
		byCosine.count(p.Cosine >= at, p.Label == LabelSame)
		near.count(n.Grade != wiki.GradeNovel, p.Label != LabelOther)
		flagged.count(len(n.Conflicts) > 0, p.Label == LabelTwin)
	}
	return SweepLine{At: at, Duplicate: duplicate.rate(), ByCosine: byCosine.rate(), Near: near.rate(), Flagged: flagged.rate()}
}

// judge is the gate's decision on the pair: the second page stands, the first is proposed.
func (m Measured) judge(t wiki.Thresholds) wiki.Novelty {
	stands := []wiki.Near{{Cosine: m.Cosine, Title: m.Second.Title, Body: m.Second.Body}}
	return wiki.Judge(m.First.Title, m.First.Body, stands, t)
}

// tally counts what a rule found and what it should have found.
type tally struct{ right, wrong, wanted int }

func (t *tally) count(found, wanted bool) {
	if wanted {
		t.wanted++
	}
	switch {
	case found && wanted:
		t.right++
	case found:
		t.wrong++
	}
}

func (t *tally) rate() Rate {
	r := Rate{Precision: 1, Wrong: t.wrong}
	if found := t.right + t.wrong; found > 0 {
		r.Precision = float64(t.right) / float64(found)
	}
	if t.wanted > 0 {
		r.Recall = float64(t.right) / float64(t.wanted)
	}
	return r
}

// KindLine is what the thresholds of a model do to the pairs of one kind.
type KindLine struct {
	Kind      string  `json:"kind"`
	Label     Label   `json:"label"`
	Pairs     int     `json:"pairs"`
	Duplicate int     `json:"duplicate"`
	Low       int     `json:"low_novelty"`
	Novel     int     `json:"novel"`
	Queued    int     `json:"queued"`      // sent to the curators, of Low
	Lowest    float64 `json:"lowest"`      // cosine
	Highest   float64 `json:"highest"`     // cosine
	Wrong     []Pair  `json:"wrong_pairs"` // called duplicates, and not LabelSame
}

// Kinds runs the gate's decision with a model's thresholds and tells the outcome by kind of pair, in the pairs' order.
func Kinds(pairs []Measured, t wiki.Thresholds) []KindLine {
	var lines []KindLine
	for _, p := range pairs {
		i := slices.IndexFunc(lines, func(l KindLine) bool { return l.Kind == p.Kind && l.Label == p.Label })
		if i < 0 {
			i = len(lines)
			lines = append(lines, KindLine{Kind: p.Kind, Label: p.Label, Lowest: 1, Highest: -1, Wrong: []Pair{}})
		}
		lines[i].count(p, p.judge(t))
	}
	return lines
}

func (l *KindLine) count(p Measured, n wiki.Novelty) {
	l.Pairs++
	l.Lowest, l.Highest = min(l.Lowest, float64(p.Cosine)), max(l.Highest, float64(p.Cosine))
	switch n.Grade {
	case wiki.GradeDuplicate:
		l.Duplicate++
		if p.Label != LabelSame {
			l.Wrong = append(l.Wrong, p.Pair)
		}
	case wiki.GradeLowNovelty:
		l.Low++
		if len(n.Conflicts) > 0 {
			l.Queued++
		}
	case wiki.GradeNovel:
		l.Novel++
	}
}

// Calibration is what labelled pairs say of a model's thresholds.
type Calibration struct {
	Model      string          `json:"model"`
	Thresholds wiki.Thresholds `json:"thresholds"`
	Sets       []PairSet       `json:"sets"`
	// Supported are the thresholds that the pairs speak for; nil without graded pairs, since of the project's own ones each
	// kind was written to be near or far.
	Supported *Supported `json:"supported,omitempty"`
}

// PairSet is one set of pairs in a calibration.
type PairSet struct {
	Name  string      `json:"name"`
	Pairs int         `json:"pairs"`
	Sweep []SweepLine `json:"sweep"`
	Kinds []KindLine  `json:"kinds"`
}

// Supported are thresholds by measurement.
type Supported struct {
	// DuplicateAt is the lowest at which no graded pair that says something else would be a duplicate by its cosine alone:
	// the evidence is a second wall, and sees no names and no swapped words.
	DuplicateAt wiki.Cosine `json:"duplicate_at"`
	// LowNoveltyAt has the highest F1 of telling pairs that belong together from others, over all sets.
	LowNoveltyAt wiki.Cosine `json:"low_novelty_at"`
}

// Calibrate measures the project's own pairs, and graded ones if there are any, with a model and its thresholds.
func Calibrate(ctx context.Context, e embedding.Embedder, graded []Pair, show func(Progress)) (Calibration, error) {
	own, err := Pairs()
	if err != nil {
		return Calibration{}, err
	}
	measured, err := Measure(ctx, e, append(slices.Clone(own), graded...), show)
	if err != nil {
		return Calibration{}, err
	}
	model := e.Model()
	c := Calibration{Model: model.ID, Thresholds: wiki.Thresholds{
		DuplicateAt: wiki.Cosine(model.DuplicateAt), LowNoveltyAt: wiki.Cosine(model.LowNoveltyAt), ConflictAt: wiki.Cosine(model.ConflictAt),
	}}
	c.add("own pairs", measured[:len(own)])
	if len(graded) > 0 {
		c.add("graded pairs", measured[len(own):])
		c.Supported = supported(measured[len(own):], measured)
	}
	return c, nil
}

func (c *Calibration) add(name string, pairs []Measured) {
	c.Sets = append(c.Sets, PairSet{Name: name, Pairs: len(pairs), Sweep: Sweep(pairs), Kinds: Kinds(pairs, c.Thresholds)})
}

// Wrong gives the pairs that the model's thresholds make duplicates though they state different things.
func (c Calibration) Wrong() []Pair {
	var wrong []Pair
	for _, set := range c.Sets {
		for _, kind := range set.Kinds {
			wrong = append(wrong, kind.Wrong...)
		}
	}
	return wrong
}

func supported(graded, all []Measured) *Supported {
	s := &Supported{DuplicateAt: 1, LowNoveltyAt: 1}
	for _, line := range slices.Backward(Sweep(graded)) {
		if line.ByCosine.Wrong > 0 {
			break
		}
		s.DuplicateAt = line.At
	}
	best := 0.0
	for _, line := range Sweep(all) {
		if f1 := line.Near.f1(); f1 > best {
			best, s.LowNoveltyAt = f1, line.At
		}
	}
	return s
}

func (r Rate) f1() float64 {
	if r.Precision+r.Recall == 0 {
		return 0
	}
	return 2 * r.Precision * r.Recall / (r.Precision + r.Recall)
}
