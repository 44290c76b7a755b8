package keyword

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func termsOf(text string) (terms []string) {
	analyse(text, func(t token) { terms = append(terms, t.term) })
	return terms
}

func TestAnalyseFindsWholesAndParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Running queries":       {"run", "queri"},
		"my_snake_case":         {"my", "snake", "case", "=my_snake_case"},
		"http.ListenAndServe":   {"http", "listenandserv", "listen", "and", "serv", "=http.listenandserve"},
		"getUserName":           {"getusernam", "get", "user", "name"},
		"HTTPServer":            {"httpserver", "http", "server"},
		"--dry-run":             {"dri", "run"},
		"/etc/nginx/nginx.conf": {"etc", "nginx", "nginx", "conf", "=nginx.conf", "=etc/nginx/nginx.conf"},
		"v1.2.3":                {"v1", "2", "3", "=v1.2.3", "=1.2.3"},
		"user@ex.com":           {"user", "ex", "com", "=ex.com", "=user@ex.com"},
		"C++ and C# or F#":      {"c", "=c++", "and", "c", "=c#", "or", "f", "=f#"},
		"Café CAFÉ cafe\u0301":  {"cafe", "cafe", "cafe"},
		"Straße Øl":             {"strass", "ol"},
		"東京タワーの":                {"東京", "京タ", "タワ", "ワー", "ーの"},
		"木":                     {"木"},
		"Go言語":                  {"go", "言語"},
		"isn't Anna's":          {"isn", "anna"},
		"ＦＵＬＬ width":            {"full", "width"},
		"":                      nil,
		"!? -- \x00 \xff\xfe":   nil,
		"\u037a α\u037a":        {"α"},
	} {
		require.Equal(t, want, termsOf(text), "%q", text)
	}
	require.Contains(t, termsOf("ListenAndServe"), "listen")
}

func TestAnalyseTakesAnyText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aA0", 200_000)
	for _, term := range termsOf(long) {
		require.LessOrEqual(t, len(term), maxTokenBytes+1)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "valid") {
			text = rapid.String().Draw(t, "text")
		}
		last := 0
		analyse(text, func(tok token) {
			require.NotEmpty(t, tok.term)
			require.True(t, 0 <= tok.start && tok.start < tok.end && tok.end <= len(text))
			last = tok.end
		})
		require.LessOrEqual(t, last, len(text))
		parse(text)
	})
}

// Case 53: whatever is typed is a question, and a bounded one.
func FuzzParse(f *testing.F) {
	for _, query := range []string{`"a phrase" -word -"left out" --flag`, `tar -xzf a.b/c#d C++ 東京`, "“„\xff\u0301", `-only -excluded`} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		p := parse(query)
		require.LessOrEqual(t, len(p.terms), maxQueryTerms)
		if len(p.terms) == 0 {
			require.Empty(t, p.excluded, "a question that only excludes is taken by its words")
		}
		for _, term := range p.terms {
			require.NotEmpty(t, term)
		}
		for _, c := range append(p.required, p.excluded...) {
			require.NotEmpty(t, c.terms)
		}
		holds(plain(query), plain(query))
	})
}

// Every token of a text comes from a stretch of it, and a text is found by itself.
func FuzzAnalyse(f *testing.F) {
	for _, text := range []string{"getUserName pkg.Func v1.2.3 C# isn't", "東京タワーの木", "\u037a\ufdfa", "a\xff-b_\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		analyse(text, func(tok token) {
			require.NotEmpty(t, tok.term)
			require.True(t, 0 <= tok.start && tok.start < tok.end && tok.end <= len(text))
		})
		d := index(uuid.Nil, text, text)
		analyse(text, func(tok token) { require.Positive(t, frequency(d.packed, termID(uuid.Nil, tok.term))) })
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	type want struct{ terms, required, excluded []string }
	for text, w := range map[string]want{
		`what is the connection pool`:   {terms: []string{"what", "connect", "pool"}},
		`who`:                           {terms: []string{"who"}},
		`at command`:                    {terms: []string{"at", "command"}},
		`to be or not to be`:            {terms: []string{"to", "be", "or", "not"}},
		`"connection pool" size`:        {terms: []string{"connect", "pool", "size"}, required: []string{"connection pool"}},
		`“Connection  Pool”`:            {terms: []string{"connect", "pool"}, required: []string{"connection pool"}},
		`pool -mysql -"read replica"`:   {terms: []string{"pool"}, excluded: []string{"mysql", "read replica"}},
		`git --force -x -5 p-q`:         {terms: []string{"git", "forc", "x", "5", "p", "q"}},
		`-only -minus`:                  {terms: []string{"onli", "minus"}},
		`an "open quote`:                {terms: []string{"an", "open", "quot"}},
		`""`:                            {},
		`- -- " -"`:                     {},
		`foo & bar | !baz :* <-> (qux)`: {terms: []string{"foo", "bar", "baz", "qux"}},
	} {
		p := parse(text)
		require.Equal(t, w.terms, p.terms, text)
		require.Equal(t, w.required, phrases(p.required), text)
		require.Equal(t, w.excluded, phrases(p.excluded), text)
	}
	require.LessOrEqual(t, len(parse(strings.Repeat("word ", 10)+strings.Join(strings.Split(strings.Repeat("abcdefghij", 30), ""), "1 ")).terms), maxQueryTerms)
}

func phrases(clauses []clause) (out []string) {
	for _, c := range clauses {
		if c.phrase != "" {
			out = append(out, c.phrase)
			continue
		}
		out = append(out, strings.Join(c.terms, " "))
	}
	return out
}

func TestHolds(t *testing.T) {
	t.Parallel()
	text := plain("The Connection\n pool, not pooling. 東京タワー")
	require.True(t, holds(text, "connection pool"))
	require.True(t, holds(text, "タワ"))
	require.False(t, holds(text, "connection poo"))
	require.False(t, holds(text, "he connection"))
	require.False(t, holds(text, ""))
	require.True(t, holds("aa a", "a"))
}

func TestPackedRowsGiveFrequenciesBack(t *testing.T) {
	t.Parallel()
	tenant := uuid.New()
	d := index(tenant, "The pool", strings.Repeat("pool the size ", 300))
	require.EqualValues(t, 255, frequency(d.packed, termID(tenant, "pool")), "saturates")
	require.EqualValues(t, 2, frequency(d.packed, termID(tenant, "the")), "a stop word counts in a title only")
	require.Zero(t, frequency(d.packed, termID(tenant, "absent")))
	require.Zero(t, frequency(d.packed, termID(uuid.New(), "pool")), "another tenant's id of the word is another")
	require.Zero(t, frequency(nil, 1))
	require.Len(t, d.packed, 3*packedEntry)
	require.Less(t, packedTerm(d.packed, 0), packedTerm(d.packed, 1))
	require.Less(t, packedTerm(d.packed, 1), packedTerm(d.packed, 2))
	require.Equal(t, 602, d.length)
}

func TestCutEndsOnARune(t *testing.T) {
	t.Parallel()
	require.True(t, utf8.ValidString(cut(strings.Repeat("é", 100))))
}
