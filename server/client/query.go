package client

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// query collects parameters and leaves out the zero ones.
type query struct{ url.Values }

func newQuery() query { return query{url.Values{}} }

func (q query) text(name, v string) {
	if v != "" {
		q.Set(name, v)
	}
}

func (q query) number(name string, v int) {
	if v != 0 {
		q.Set(name, strconv.Itoa(v))
	}
}

func (q query) fraction(name string, v float64) {
	if v != 0 {
		q.Set(name, strconv.FormatFloat(v, 'g', -1, 64))
	}
}

func (q query) flag(name string, v bool) {
	if v {
		q.Set(name, "true")
	}
}

// matchAll asks for all of the tags instead of any.
func (q query) matchAll(v bool) {
	if v {
		q.Set("match", "all")
	}
}

func (q query) id(name string, v *uuid.UUID) {
	if v != nil {
		q.Set(name, v.String())
	}
}

func (q query) list(name string, v []string) {
	if len(v) > 0 {
		q.Set(name, strings.Join(v, ","))
	}
}

// quoteVersion writes a version number as an entity tag.
func quoteVersion(v int) string { return `"` + strconv.Itoa(v) + `"` }
