package eval

import (
	"bytes"
	"context"
	_ "embed" // the labelled pairs
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"wiki/core/embedding"
	"wiki/core/wiki"
)

//go:embed golden/pairs.jsonl
var pairLines []byte

// Label says what a pair of pages is.
type Label string

// Labels of pairs.
const (
	LabelSame  Label = "same"  // one statement, copied or in other words: the second is not needed
	LabelTwin  Label = "twin"  // nearly one text, and two statements: both are needed, and a curator must see them
	LabelOther Label = "other" // two pages, however much their form or topic is one
)

// Page is one side of a pair.
type Page struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Pair is two pages with their label.
type Pair struct {
	Kind   string `json:"kind"` // what makes them alike or tells them apart
	Label  Label  `json:"label"`
	First  Page   `json:"first"`
	Second Page   `json:"second"`
}

// Pairs gives the project's own labelled pairs: twins that differ in a negation, digits, a version, a date, a unit or a name;
// near copies and paraphrases; pages of one template, one sentence pattern (case 14) or one topic.
func Pairs() ([]Pair, error) {
	var pairs []Pair
	for line := range bytes.Lines(pairLines) {
		var p Pair
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("labelled pairs: %w: %s", err, line)
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// From which grade on (0 to 5) a pair of STS-B says the same, and up to which it says something else. What lies between is
// neither, and is left out.
const (
	stsSame  = 4.75
	stsOther = 3.5
)

// STSPairs reads graded sentence pairs, CSV of two sentences and a grade from 0 to 5, as STS-B has them, from all CSV files of
// a directory. Errors are CodeInvalid on "pairs".
func STSPairs(dir string) ([]Pair, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) == 0 {
		return nil, wiki.Invalid("pairs", "there are no CSV files of sentence pairs in %s", dir)
	}
	var pairs []Pair
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, wiki.Invalid("pairs", "%s cannot be read: %v", file, err)
		}
		rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
		if err != nil {
			return nil, wiki.Invalid("pairs", "%s is no CSV: %v", file, err)
		}
		for i, row := range rows {
			grade, err := strconv.ParseFloat(row[len(row)-1], 64)
			if err != nil || len(row) != 3 {
				return nil, wiki.Invalid("pairs", "%s, row %d: two sentences and a grade are wanted", file, i+1)
			}
			p := Pair{Kind: "stsb", First: Page{Body: row[0]}, Second: Page{Body: row[1]}}
			switch {
			case grade >= stsSame:
				p.Label = LabelSame
			case grade <= stsOther:
				p.Label = LabelOther
			default:
				continue
			}
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

// Measured is a pair with what the gate sees of it.
type Measured struct {
	Pair
	Cosine wiki.Cosine
}

// text is the embedded text of a page: as of an article, so that both sides play one role (case 16).
func (p Page) text() string {
	if p.Title == "" {
		return p.Body
	}
	return embedding.ArticleText(p.Title, p.Body)
}

// Measure embeds pairs as the gate does and compares whole with whole.
func Measure(ctx context.Context, e embedding.Embedder, pairs []Pair, show func(Progress)) ([]Measured, error) {
	m := newMeter(len(pairs), show)
	out := make([]Measured, 0, len(pairs))
	for from := 0; from < len(pairs); from += seedBatch {
		part := pairs[from:min(from+seedBatch, len(pairs))]
		texts := make([]string, 0, 2*len(part))
		for _, p := range part {
			texts = append(texts, p.First.text(), p.Second.text())
		}
		docs, err := e.Embed(ctx, texts)
		if err != nil {
			return nil, stopped(ctx, fmt.Errorf("embed the pairs: %w", err))
		}
		if len(docs) != len(texts) {
			return nil, errors.New("the embedder left out a text")
		}
		for i, p := range part {
			out = append(out, Measured{Pair: p, Cosine: cosine(docs[2*i].Whole, docs[2*i+1].Whole)})
		}
		m.step(len(part))
	}
	return out, nil
}

func cosine(a, b []float32) wiki.Cosine {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return wiki.Cosine(sum)
}
