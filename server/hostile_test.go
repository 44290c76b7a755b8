package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"wiki/core/shareddata"
	"wiki/core/wiki"
	"wiki/server/api"
)

// raced: the race detector is on, under which everything costs ten times as much; then every tenth string has to do.
var raced bool

// naughty gives the public list of strings that break programs, and some that it lacks.
func naughty(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var list []string
	require.NoError(t, json.Unmarshal(raw, &list))
	require.Len(t, list, 515)
	list = append(list, "a\x00b", "\u202eabc", strings.Repeat("a", 5000), "a\r\nb", "e\u0301", "\ufeffx", "\ufffd", "\U0010ffff", "-1", "1e400", "0x10",
		"9999-12-31T23:59:59Z", "infinity", "NaN", "01J", "../../etc/passwd", "%s%n", "'; drop table articles; --", "*", "\\", "\"")
	if raced {
		return some(list, 10, "")
	}
	return list
}

// some gives every n-th of a list, beginning at another place for another name: where many calls share one reader, each
// string still goes through several of them.
func some(list []string, n int, name string) (out []string) {
	for i := len(name) % n; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// refused checks that an answer is one, or says what is at fault: a code, and the name of what was sent.
func (w *world) refused(t *testing.T, r reply, what string, sent []string) {
	t.Helper()
	require.Less(t, r.StatusCode, http.StatusInternalServerError, "%s: %s", what, r.body)
	if r.StatusCode < http.StatusBadRequest {
		return
	}
	f := r.failure(t)
	require.NotEmpty(t, f.Code, "%s: %s", what, r.body)
	if slices.Contains([]wiki.Code{wiki.CodeInvalid, wiki.CodeInvalidParameter, wiki.CodeReservedTag}, wiki.Code(f.Code)) {
		name, _, _ := strings.Cut(f.Field, ".")
		require.Contains(t, sent, name, "%s: the field at fault: %s", what, r.body)
	}
}

// Every naughty string in every query parameter of every route, and in every part of its path: an answer, or a 4xx that
// names what is at fault.
func TestHostileTextInEveryQueryParameterAndPath(t *testing.T) {
	t.Parallel()
	list := naughty(t)
	w := start(t)
	id := w.propose(wiki.RoleAgent, "Cats", "Cats sleep for most of the day.").ID.String()
	key := w.keys[user]
	for route, takes := range handlers(t) {
		l := surface[route]
		if l.names == itsOwnCall {
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			call, body := l.fill(route, "{id}", id, "{other}", id, "{pair}", id+"."+id)
			call, _, _ = strings.Cut(call, "?")
			free, typed := w.sorted(call, body, takes.params)
			for _, text := range list {
				for _, names := range [][]string{free, typed} {
					if len(names) == 0 {
						continue
					}
					query := url.Values{}
					for _, name := range names {
						query.Set(name, text)
					}
					w.refused(t, w.send(call+"?"+query.Encode(), key, body), call+" with "+text, takes.params)
				}
			}
			method, path, _ := strings.Cut(route, " ")
			for _, hole := range []string{"{id}", "{pair}", "{n}"} {
				if !strings.Contains(path, hole) {
					continue
				}
				for _, text := range some(list, 10, route) {
					inPath := strings.NewReplacer(hole, url.PathEscape(text), "{id}", id, "{pair}", id+"."+id, "{n}", "1").Replace(path)
					w.refused(t, w.send(method+" /api/v1"+inPath, key, body), inPath, nil)
				}
			}
			for _, name := range typed { // alone, so that it is the one at fault
				for _, text := range []string{"\x00", "\xff", "null", "1e400", "-1", "99999999999999999999", "😀", "a,b"} {
					r := w.send(call+"?"+url.Values{name: {text}}.Encode(), key, body)
					w.refused(t, r, call+" "+name+"="+text, []string{name})
				}
			}
		})
	}
}

// sorted tells the parameters that take any text from those that do not.
func (w *world) sorted(call, body string, params []string) (free, typed []string) {
	for _, p := range params {
		r := w.send(call+"?"+url.Values{p: {"abc"}}.Encode(), w.keys[user], body)
		if r.StatusCode < http.StatusBadRequest || r.failure(w.tb).Field != p {
			free = append(free, p)
		} else {
			typed = append(typed, p)
		}
	}
	return free, typed
}

// Every naughty string in every text field of every body.
func TestHostileTextInEveryField(t *testing.T) {
	t.Parallel()
	list := naughty(t)
	w := start(t)
	id := w.propose(wiki.RoleAgent, "Cats", "Cats sleep for most of the day.").ID.String()
	other := w.propose(wiki.RoleAgent, "Ships", "Ships are moored at the northern pier.").ID.String()
	for route, takes := range handlers(t) {
		l := surface[route]
		require.Equal(t, takes.body, typeName(l.takes), "%s: surface names another type of body than its handler reads", route)
		if l.takes == nil || route == "POST /articles" { // proposals have a test of their own: each string is an article
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			call, body := l.fill(route, "{id}", id, "{other}", other, "{pair}", id+"."+other)
			var base map[string]any
			if body != "" {
				require.NoError(t, json.Unmarshal([]byte(body), &base))
			}
			fields := textFields(reflect.TypeOf(l.takes))
			names := slices.Collect(maps.Keys(fields))
			names = append(names, slices.Collect(maps.Keys(base))...)
			send := func(change map[string]any) reply {
				sent := maps.Clone(base)
				if sent == nil {
					sent = map[string]any{}
				}
				maps.Copy(sent, change)
				raw, err := json.Marshal(sent)
				require.NoError(t, err)
				return w.send(call, w.keys[user], string(raw))
			}
			var free, typed []string
			for name, value := range fields {
				if r := send(map[string]any{name: value("abc")}); r.StatusCode < http.StatusBadRequest || r.failure(t).Field != name {
					free = append(free, name)
				} else {
					typed = append(typed, name)
				}
			}
			texts := list
			if l.takes == any(api.Reason{}) && !strings.HasSuffix(route, "/suppress") { // one reader reads the reasons of all verbs
				texts = some(list, 20, route)
			}
			for _, text := range texts {
				change := map[string]any{}
				for _, name := range free {
					change[name] = fields[name](text)
				}
				r := send(change)
				w.refused(t, r, call+" with "+text, names)
				if r.StatusCode == http.StatusCreated || strings.HasPrefix(route, "PATCH") {
					w.echoes(t, r, change, text)
				}
			}
			for _, name := range typed {
				for _, text := range some(list, 5, route+name) {
					w.refused(t, send(map[string]any{name: fields[name](text)}), call+" "+name+": "+text, names)
				}
			}
		})
	}
}

func typeName(v any) string {
	if v == nil {
		return ""
	}
	return reflect.TypeOf(v).Name()
}

// textFields gives the fields of a wire type that can hold a text, each with a maker of its value around one.
func textFields(kind reflect.Type) map[string]func(string) any {
	out := map[string]func(string) any{}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		of := kind.Field(i).Type
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case of == reflect.TypeFor[json.RawMessage]():
			out[name] = func(s string) any { return map[string]any{s: s, "list": []any{s, map[string]any{s: s}}} }
		case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.String:
			out[name] = func(s string) any { return []string{s} }
		default: // numbers and flags too: a text in their place has to be refused by name
			out[name] = func(s string) any { return s }
		}
	}
	return out
}

// echoes checks that what was accepted comes back as it was sent, in NFC, wherever the answer has a field of that name.
func (w *world) echoes(t *testing.T, r reply, sent map[string]any, text string) {
	t.Helper()
	var got api.Envelope[map[string]any]
	require.NoError(t, json.Unmarshal([]byte(r.body), &got), r.body)
	for name, value := range sent {
		back, there := got.Data[name]
		if !there {
			continue
		}
		raw, err := json.Marshal(value)
		require.NoError(t, err)
		var want any
		require.NoError(t, json.Unmarshal([]byte(norm.NFC.String(string(raw))), &want))
		require.Equal(t, want, back, "%s of %q", name, text)
	}
}

// What the gate accepts of any text reads back equal, in NFC, through every field of a proposal.
func TestWhatIsAcceptedReadsBackEqual(t *testing.T) {
	t.Parallel()
	list := naughty(t)
	w := start(t)
	fields := textFields(reflect.TypeFor[api.Proposal]())
	names := slices.Collect(maps.Keys(fields))
	accepted := 0
	for _, text := range list {
		p := map[string]any{
			"title": text, "body": text, "category": "idea", "metadata": fields["metadata"](text),
			"idempotency_key": text, "force": true, "draft": true,
		}
		raw, err := json.Marshal(p)
		require.NoError(t, err)
		r := w.send("POST /api/v1/articles", w.keys[agent], string(raw))
		w.refused(t, r, text, names)
		if r.StatusCode != http.StatusCreated {
			continue
		}
		accepted++
		var made api.Envelope[api.Proposed]
		require.NoError(t, json.Unmarshal([]byte(r.body), &made))
		shown := w.send("GET /api/v1/articles/"+made.Data.Article.ID.String(), w.keys[agent], "")
		w.echoes(t, shown, map[string]any{"title": strings.TrimSpace(text), "body": text, "metadata": p["metadata"], "idempotency_key": text}, text)
	}
	require.Greater(t, accepted, len(list)/2)
	for name, value := range fields { // each by itself, where it may be refused: the longest way for those of free form
		every := 10
		if slices.Contains([]string{"tags", "slug"}, name) {
			every = 1
		}
		for i := 0; i < len(list); i += every {
			raw, err := json.Marshal(map[string]any{"title": "T", "body": "b", "category": "idea", name: value(list[i])})
			require.NoError(t, err)
			w.refused(t, w.send("POST /api/v1/articles", w.keys[agent], string(raw)), name+": "+list[i], names)
		}
	}
}
