package statements_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/postgres/statements"
)

// find reads one room made of the given source, beside a room of predicates.
func find(t *testing.T, source string) statements.Source {
	t.Helper()
	root := t.TempDir()
	for folder, text := range map[string]string{
		"predicates": "package predicates\nimport \"strings\"\nfunc Visible(a string) string { return strings.ReplaceAll(visible, `{a}`, a) }\nconst visible = `{a}.seen`",
		"room":       "package room\nimport (\"fmt\"; \"wiki/core/predicates\")\nvar _, _ = fmt.Sprint, predicates.Visible\n" + source,
	} {
		require.NoError(t, os.Mkdir(filepath.Join(root, folder), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, folder, "a.go"), []byte(text), 0o600))
	}
	found, err := statements.Find(root, statements.Options{Samples: map[string]string{"room.quote": "'q'", "room.f.quoted": "select 'q'"}})
	require.NoError(t, err)
	return found
}

func TestStatementsAreFollowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   []string // "name: text"
	}{
		"a constant":           {"const q = `select 1`; func f() { tx.Exec(ctx, q) }", []string{"q: select 1"}},
		"joined":               {"const c = `1`; func f() { tx.QueryRow(ctx, `select `+c, x) }", []string{"f: select 1"}},
		"another room's":       {"var q = `select ` + predicates.Visible(`t`); func f() { tx.Query(ctx, q) }", []string{"q: select t.seen"}},
		"a map's elements":     {"var m = map[int]string{1: ` a`, 2: ` b`}; func f() { tx.Exec(ctx, `select`+m[i]) }", []string{"f: select a", "f: select b"}},
		"a parameter":          {"const q = `select 1`; func f(sql string) { tx.Exec(ctx, sql) }; func g() { f(q) }", []string{"q: select 1"}},
		"a local variable":     {"const q = `select 1`; func f() { s := q; if x { s = `select 2` }; tx.Exec(ctx, s) }", []string{"q: select 1", "f: select 2"}},
		"what a loop runs on":  {"const q = `select 1`; func f() { for _, s := range []string{q, `select 2`} { tx.Exec(ctx, s) } }", []string{"q: select 1", "f: select 2"}},
		"a loop's fields":      {"var l = []struct{ n int; sql string }{{1, `select 1`}}; func f() { for _, s := range l { tx.Exec(ctx, s.sql) } }", []string{"f: select 1"}},
		"an unknown number":    {"func f() { tx.Exec(ctx, fmt.Sprintf(`select %d`, len(x))) }", []string{"f: select 384"}},
		"a quoting function":   {"func quote(s string) string { return s }; func f() { tx.Exec(ctx, fmt.Sprintf(`select %s`, quote(x.y))) }", []string{"f: select 'q'"}},
		"a quoted variable":    {"func f() { var quoted string; tx.Exec(ctx, quoted) }", []string{"f: select 'q'"}},
		"no method of pgx's":   {"func f() { url.Query() }", nil},
		"a queue's statements": {"func f() { batch.Queue(`select 1`, x) }", []string{"f: select 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := find(t, c.source)
			require.Empty(t, found.Unseen)
			var got []string
			for _, s := range found.Statements {
				got = append(got, s.Name+": "+s.SQL)
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}

func TestQueriesThatMayHoldInputAreReported(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"joined with input":     "func f(in string) { tx.Exec(ctx, `select ` + in) }",
		"formatted with input":  "func f() { tx.Exec(ctx, fmt.Sprintf(`select %s`, x.y)) }",
		"a number as a text":    "func f() { tx.Exec(ctx, fmt.Sprintf(`select %v`, len(x))) }",
		"a field":               "func f() { tx.Exec(ctx, x.sql) }",
		"out of a call":         "func f() { sql, err := g(); tx.Exec(ctx, sql) }",
		"one of two callers":    "func f(sql string) { tx.Exec(ctx, sql) }; func g() { f(`select 1`); f(x.y) }",
		"joined later":          "func f() { s := `select 1`; s += x.y; tx.Exec(ctx, s) }",
		"sent by nobody":        "const q = `select 1 from t`",
		"a builder":             "func f() { var b strings.Builder; b.WriteString(`select a from t`); tx.Exec(ctx, b.String()) }",
		"calls itself for ever": "func g(s string) string { return g(s) }; func f() { tx.Exec(ctx, g(`a`)) }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := find(t, source)
			require.NotEmpty(t, found.Unseen)
			require.True(t, strings.HasPrefix(found.Unseen[0], "room/a.go:"), found.Unseen[0])
		})
	}
}
