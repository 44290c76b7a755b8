package eval

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"wiki/core/wiki"
)

// The files of a test collection, by the names that the public ones have; the first pattern that matches counts.
var (
	corpusFiles   = []string{"corpus.jsonl", "corpus*.csv"}
	questionFiles = []string{"queries.jsonl", "topics*.tsv", "queries*.tsv"}
	judgedFiles   = []string{"qrels*.txt", "qrels*.tsv", "qrels/test.tsv"}
)

// maxLineBytes bounds one line of a collection's file.
const maxLineBytes = 64 << 20

// Collection reads a public test collection: documents (JSON lines with _id, title, text; or CSV with doc_id, title and
// text or abstract), queries (JSON lines with _id, text; or id, tab, text) and judgements (TREC's four columns, or three with
// a header). Queries without a judged document are left out. Errors are CodeInvalid on "collection".
func Collection(dir string) (Set, error) {
	s := Set{Name: filepath.Base(filepath.Clean(dir))}
	texts, judged := map[string]string{}, map[string]map[string]int{}
	var order []string
	err := errors.Join(
		eachRecord(dir, corpusFiles, func(r fileRecord) { s.Documents = append(s.Documents, r.document()) }),
		eachRecord(dir, questionFiles, func(r fileRecord) {
			id, text := r.first("_id", "id", "0"), r.first("text", "1")
			texts[id], order = text, append(order, id)
		}),
		eachJudgement(dir, judged),
	)
	if err != nil {
		return Set{}, &wiki.Error{
			Code: wiki.CodeInvalid, Field: "collection", Message: "the test collection in " + dir + " cannot be read", Err: err,
			Remedy: "give a directory with a corpus, queries and qrels as BEIR and TREC have them",
		}
	}
	for _, id := range order {
		if len(judged[id]) > 0 {
			s.Questions = append(s.Questions, Question{ID: id, Text: texts[id], Relevant: judged[id]})
		}
	}
	if len(s.Documents) == 0 || len(s.Questions) == 0 {
		return Set{}, wiki.Invalid("collection", "the test collection in %s has %d documents and %d judged questions", dir, len(s.Documents), len(s.Questions))
	}
	s.uniqueTitles()
	return s, nil
}

// uniqueTitles tells namesakes apart: a wiki's titles are unique, and none is empty.
func (s *Set) uniqueTitles() {
	seen := map[string]bool{}
	for i := range s.Documents {
		d := &s.Documents[i]
		key := wiki.Canonical(d.Title)
		switch {
		case key == "":
			d.Title = d.ID
		case seen[key]:
			d.Title += " (" + d.ID + ")"
		}
		seen[wiki.Canonical(d.Title)] = true
	}
}

// fileRecord is a row of a file by column name; a file without a header has its columns' numbers.
type fileRecord map[string]string

func (r fileRecord) first(names ...string) string {
	for _, n := range names {
		if v, ok := r[n]; ok {
			return v
		}
	}
	return ""
}

// printedList is how some collections print a list of sentences: in brackets, quoted, one a line.
var printedList = regexp.MustCompile(`\A\[\s*['"]`)

func (r fileRecord) document() Document {
	body := r.first("text", "abstract", "body")
	if printedList.MatchString(body) {
		var sentences []string
		for line := range strings.Lines(strings.Trim(body, "[]")) {
			sentences = append(sentences, strings.Trim(strings.TrimSpace(line), `'"`))
		}
		body = strings.Join(sentences, " ")
	}
	title := r.first("title")
	if body == "" {
		body = title
	}
	return Document{ID: r.first("_id", "doc_id", "id"), Title: title, Body: body}
}

// eachRecord reads the records of the first file that matches.
func eachRecord(dir string, patterns []string, take func(fileRecord)) error {
	path, err := firstFile(dir, patterns)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	switch filepath.Ext(path) {
	case ".jsonl":
		err = readJSONLines(file, take)
	case ".csv":
		err = readCSV(file, take)
	default:
		err = readLines(file, func(line string) error {
			r := fileRecord{}
			for i, v := range strings.Split(line, "\t") {
				r[strconv.Itoa(i)] = v
			}
			take(r)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

func firstFile(dir string, patterns []string) (string, error) {
	for _, p := range patterns {
		if found, err := filepath.Glob(filepath.Join(dir, p)); err == nil && len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("there is no %s", strings.Join(patterns, " or "))
}

func readJSONLines(r io.Reader, take func(fileRecord)) error {
	return readLines(r, func(line string) error {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			return err
		}
		row := fileRecord{}
		for k, v := range fields {
			if s, ok := v.(string); ok {
				row[k] = s
			}
		}
		take(row)
		return nil
	})
}

func readCSV(r io.Reader, take func(fileRecord)) error {
	reader := csv.NewReader(r)
	header, err := reader.Read()
	if err != nil {
		return err
	}
	for {
		values, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row := fileRecord{}
		for i, v := range values {
			row[header[i]] = v
		}
		take(row)
	}
}

func readLines(r io.Reader, take func(string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		if line := strings.TrimRight(lines.Text(), "\r"); strings.TrimSpace(line) != "" {
			if err := take(line); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	return lines.Err()
}

// eachJudgement reads which documents answer which question: question, iteration, document, grade; or without iteration.
func eachJudgement(dir string, judged map[string]map[string]int) error {
	path, err := firstFile(dir, judgedFiles)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return readLines(file, func(line string) error {
		f := strings.Fields(line)
		if len(f) < 3 {
			return errors.New("a judgement has three or four columns")
		}
		grade, err := strconv.Atoi(f[len(f)-1])
		if err != nil || grade <= 0 {
			return nil //nolint:nilerr // a header, or a document that was judged not to help
		}
		if judged[f[0]] == nil {
			judged[f[0]] = map[string]int{}
		}
		judged[f[0]][f[len(f)-2]] = grade
		return nil
	})
}
