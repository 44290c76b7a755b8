package eval

import (
	"bytes"
	_ "embed" // the golden set
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wiki/core/wiki"
)

//go:embed golden/golden.jsonl
var goldenLines []byte

// twinSuffix names the distilled twin of a question: the same in the few words that an agent would search for.
const twinSuffix = "-distilled"

// Golden gives the project's own questions and corpus: prose questions with their distilled twins; pages that differ in a
// number or a negation only; answers that stand behind a link; newer and older pages, editorial classes, demotions, and
// pages that differ in how they got in or how often they are read, each seeded apart from the rest.
func Golden() (Set, error) { return parseGolden(goldenLines) }

// goldenLine is one line of the file, of any kind.
type goldenLine struct {
	Kind      string `json:"kind"` // header, document, link, question
	Name      string `json:"name"`
	Version   string `json:"version"`
	Distilled string `json:"distilled"`
}

func parseGolden(lines []byte) (Set, error) {
	var s Set
	for line := range bytes.Lines(lines) {
		if err := s.add(line); err != nil {
			return Set{}, fmt.Errorf("golden set: %w: %s", err, bytes.TrimSpace(line))
		}
	}
	return s, s.check()
}

func (s *Set) add(line []byte) error {
	var head goldenLine
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "header":
		s.Name, s.Version = head.Name, head.Version
		return nil
	case "document":
		var d Document
		err := json.Unmarshal(line, &d)
		s.Documents = append(s.Documents, d)
		return err
	case "link":
		var l Link
		err := json.Unmarshal(line, &l)
		s.Links = append(s.Links, l)
		return err
	case "question":
		var q Question
		err := json.Unmarshal(line, &q)
		s.Questions = append(s.Questions, q)
		if head.Distilled != "" {
			twin := q
			twin.ID, twin.TwinOf, twin.Text = q.ID+twinSuffix, q.ID, head.Distilled
			s.Questions = append(s.Questions, twin)
		}
		return err
	}
	return errors.New("kind is none of header, document, link, question")
}

// check finds what would make a measurement mean nothing.
func (s Set) check() error {
	documents, titles, questions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, d := range s.Documents {
		title := wiki.Canonical(d.Title)
		if d.ID == "" || documents[d.ID] || title == "" || titles[title] {
			complain("document %q has no id or title of its own", d.ID)
		}
		documents[d.ID], titles[title] = true, true
	}
	for _, l := range s.Links {
		if !documents[l.From] || !documents[l.To] {
			complain("a link from %q to %q leads nowhere", l.From, l.To)
		}
	}
	for _, q := range s.Questions {
		if q.ID == "" || questions[q.ID] || strings.TrimSpace(q.Text) == "" || len(q.Relevant) == 0 {
			complain("question %q has no id of its own, no text or no answer", q.ID)
		}
		questions[q.ID] = true
		for doc, grade := range q.Relevant {
			if !documents[doc] || grade < 1 {
				complain("question %q is answered by %q with grade %d", q.ID, doc, grade)
			}
		}
	}
	if s.Version == "" || len(s.Questions) == 0 {
		complain("it has no version or no questions")
	}
	if len(wrong) > 0 {
		return errors.New("golden set: " + strings.Join(wrong, "; "))
	}
	return nil
}

// WithoutTwins leaves the distilled twins out.
func (s Set) WithoutTwins() Set {
	var base []Question
	for _, q := range s.Questions {
		if q.TwinOf == "" {
			base = append(base, q)
		}
	}
	s.Questions = base
	return s
}
