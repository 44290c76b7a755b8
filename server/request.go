package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"wiki/core/wiki"
)

// maxWordRunes bounds a query parameter that names one thing: an act, a category, a tag.
const maxWordRunes = 100

// request is one call as a handler sees it: who acts, and typed access to what was sent.
type request struct {
	*http.Request
	actor wiki.Actor
	limit int64         // of the body, bytes
	wait  time.Duration // for the body
	key   []byte        // that cursors are signed with
	w     http.ResponseWriter
}

// pathID reads an id from the path. A malformed one names nothing that exists: CodeNotFound.
func (q *request) pathID(name string) (uuid.UUID, error) {
	return parsePathID(chi.URLParam(q.Request, name))
}

func parsePathID(s string) (uuid.UUID, error) {
	if len(s) != 36 { // uuid.Parse takes braces and urn: forms too, which would be second names for one thing
		return uuid.Nil, wiki.NotFound()
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil, wiki.NotFound()
	}
	return id, nil
}

// pathNumber reads a positive number from the path, CodeNotFound when it is none.
func (q *request) pathNumber(name string) (int, error) {
	n, err := strconv.ParseInt(chi.URLParam(q.Request, name), 10, 32)
	if err != nil || n < 1 {
		return 0, wiki.NotFound()
	}
	return int(n), nil
}

// ifMatch reads the version named by If-Match: 0 when the header is absent or "*". The error is CodeInvalidParameter.
func (q *request) ifMatch() (int, error) {
	tag := strings.TrimSpace(q.Header.Get("If-Match"))
	if tag == "" || tag == "*" {
		return 0, nil
	}
	number, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`), "-")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 {
		return 0, badParameter("If-Match", `must be the version number of one read, such as "3"`)
	}
	return int(n), nil
}

// badParameter is the error for what is wrong in the query string or in a header.
func badParameter(name, format string, args ...any) *wiki.Error {
	e := wiki.Invalid(name, name+" "+format, args...)
	e.Code = wiki.CodeInvalidParameter
	return e
}

// params reads the query string and keeps the first thing wrong with it, so that a handler can read all it wants and ask
// once.
type params struct {
	call   *request
	values url.Values
	err    error
}

// params refuses a query string that cannot be read: net/http drops the parts that it cannot, and the answer would be to
// another question.
func (q *request) params() *params {
	values, err := url.ParseQuery(q.URL.RawQuery)
	p := &params{call: q, values: values}
	if err != nil {
		p.fail("the query string", "cannot be read: write ; and %% as %%3B and %%25")
	}
	return p
}

func (p *params) fail(name, format string, args ...any) {
	if p.err == nil {
		p.err = badParameter(name, format, args...)
	}
}

// text reads a string: valid UTF-8, no NUL, at most maxRunes characters. It gives the NFC form, in which texts are stored.
func (p *params) text(name string, maxRunes int) string {
	v := p.values.Get(name)
	switch {
	case !utf8.ValidString(v) || strings.ContainsRune(v, 0):
		p.fail(name, "must be UTF-8 text without NUL")
	case utf8.RuneCountInString(v) > maxRunes:
		p.fail(name, "may have at most %d characters", maxRunes)
	default:
		return norm.NFC.String(v) // as everything is stored
	}
	return ""
}

// choice reads a string that must be one of a few; the first is the default.
func (p *params) choice(name string, of ...string) string {
	v := p.values.Get(name)
	if v == "" {
		return of[0]
	}
	for _, o := range of {
		if o == v {
			return v
		}
	}
	p.fail(name, "must be one of %s", strings.Trim(strings.Join(of, ", "), ", "))
	return of[0]
}

// number reads a whole number between least and most.
func (p *params) number(name string, byDefault, least, most int) int {
	v := p.values.Get(name)
	if v == "" {
		return byDefault
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || int(n) < least || int(n) > most {
		p.fail(name, "must be a whole number from %d to %d", least, most)
		return byDefault
	}
	return int(n)
}

// fraction reads a number between 0 and 1; nil when absent.
func (p *params) fraction(name string) *float64 {
	v := p.values.Get(name)
	if v == "" {
		return nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= 0 && f <= 1) { // NaN is neither
		p.fail(name, "must be a number from 0 to 1")
		return nil
	}
	return &f
}

// flag reads true or false; nil when absent.
func (p *params) flag(name string) *bool {
	v := p.values.Get(name)
	if v == "" {
		return nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		p.fail(name, "must be true or false")
		return nil
	}
	return &b
}

// on reads a flag that is off when absent.
func (p *params) on(name string) bool {
	b := p.flag(name)
	return b != nil && *b
}

// id reads an id; nil when absent.
func (p *params) id(name string) *uuid.UUID {
	v := p.values.Get(name)
	if v == "" {
		return nil
	}
	id, err := parsePathID(v)
	if err != nil {
		p.fail(name, "must be an id")
		return nil
	}
	return &id
}

// list reads comma-separated words.
func (p *params) list(name string, most, maxRunes int) []string {
	v := p.text(name, most*(maxRunes+1))
	if v == "" {
		return nil
	}
	var out []string
	for _, s := range strings.Split(v, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	if len(out) > most {
		p.fail(name, "may list at most %d", most)
	}
	return out
}

// serial reads a cursor that is a row's number; 0 when absent.
func (p *params) serial(name string) int64 {
	v := p.cursor(name)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 {
		p.fail(name, badCursor)
		return 0
	}
	return n
}

// day reads a day, or a time of one; zero when absent.
func (p *params) day(name string) time.Time {
	v := p.values.Get(name)
	if v == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, v)
	if err != nil {
		if at, err = time.Parse(time.RFC3339, v); err != nil {
			p.fail(name, "must be a day such as 2006-01-02")
		}
	}
	return at
}
