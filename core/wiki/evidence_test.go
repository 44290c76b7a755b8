package wiki_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

// Twins that a vector calls near-identical and that state different things (cases 13, 14, 33).
func TestDifferencesTellTwinsApart(t *testing.T) {
	t.Parallel()
	for name, twin := range map[string]struct{ first, second, kind string }{
		"port":               {"The proxy listens on port 8080.", "The proxy listens on port 8081.", wiki.KindNumber},
		"thousands":          {"At most 100 requests a minute.", "At most 1000 requests a minute.", wiki.KindNumber},
		"number word":        {"Keep two replicas.", "Keep three replicas.", wiki.KindNumber},
		"unit beside a word": {"Kept for three months.", "Kept for three weeks.", wiki.KindUnit},
		"joined number word": {"A two-second delay.", "A five-second delay.", wiki.KindNumber},
		"joined unit":        {"A 5-minute break.", "A 5-hour break.", wiki.KindUnit},
		"compound":           {"Twenty-five seats.", "Twenty-six seats.", wiki.KindNumber},
		"price":              {"It costs $5 a month.", "It costs $50 a month.", wiki.KindNumber},
		"unit":               {"The timeout is 30 s.", "The timeout is 30 ms.", wiki.KindUnit},
		"version":            {"Requires Go v1.25.3.", "Requires Go v1.26.0.", wiki.KindVersion},
		"short version":      {"Use the v1 API.", "Use the v2 API.", wiki.KindVersion},
		"address":            {"The router is 192.168.7.1.", "The router is 192.168.9.1.", wiki.KindVersion},
		"date":               {"Frozen since 2026-03-01.", "Frozen since 2026-04-01.", wiki.KindDate},
		"written date":       {"Due on 3 March 2026.", "Due on 4 March 2026.", wiki.KindDate},
		"weekday":            {"We deploy on Mondays.", "We deploy on Fridays.", wiki.KindDate},
		"time":               {"The job runs at 02:00.", "The job runs at 03:00.", wiki.KindDate},
		"code":               {"Call `Open` first.", "Call `Close` first.", wiki.KindIdentifier},
		"snake":              {"Set max_conns.", "Set min_conns.", wiki.KindIdentifier},
		"acronym":            {"It speaks TCP.", "It speaks UDP.", wiki.KindIdentifier},
		"pull request":       {"Fixed in repo#1246.", "Fixed in repo#1247.", wiki.KindIdentifier},
		"flag":               {"Run it with --dry-run first.", "Run it with --force first.", wiki.KindIdentifier},
		"negation":           {"Retries are safe here.", "Retries are not safe here.", wiki.KindNegation},
		"contraction":        {"The cache is shared.", "The cache isn't shared.", wiki.KindNegation},
		"negation moved":     {"A is not cached, B is sent.", "A is cached, B is not sent.", wiki.KindNegation},
		"antonym":            {"Backups are enabled by default.", "Backups are disabled by default.", wiki.KindNegation},
		"swapped numbers":    {"Limit 10, burst 20.", "Limit 20, burst 10.", wiki.KindNumber},
		"other digits":       {"Listen on port ८०८०.", "Listen on port ८०८१.", wiki.KindNumber},
		"wide digits":        {"Listen on port ８０８０.", "Listen on port ８０８１.", wiki.KindNumber},
		"fraction":           {"Wait ½ hour.", "Wait ¼ hour.", wiki.KindNumber},
		"decimal comma":      {"Use 1,5 litres.", "Use 15 litres.", wiki.KindNumber},
		"ordinal":            {"On the first day.", "On the second day.", wiki.KindNumber},
		"month":              {"Due in March.", "Due in April.", wiki.KindDate},
		"half of the day":    {"Open from 9:00 am.", "Open from 9:00 pm.", wiki.KindDate},
		"dose":               {"Take 5 mg.", "Take 5 g.", wiki.KindUnit},
		"weight":             {"At most 5 kg.", "At most 5 lb.", wiki.KindUnit},
		"colour":             {"Paint it #fff.", "Paint it #ffe.", wiki.KindIdentifier},
		"comparison":         {"Stop when x ≤ 5.", "Stop when x >= 5.", wiki.KindNegation},
		"inequality":         {"Stop when x = 5.", "Stop when x != 5.", wiki.KindNegation},
		"nothing":            {"It does nothing.", "It does everything.", wiki.KindNegation},
		"unless":             {"Unless told, stop.", "If told, stop.", wiki.KindNegation},
		"one side only":      {"Wait for the job.", "Wait 5 minutes for the job.", wiki.KindNumber},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := wiki.Differences(twin.first, twin.second)
			require.NotEmpty(t, found)
			require.Equal(t, twin.kind, found[0].Kind, "%+v", found)
		})
	}
}

func TestDifferencesSeeNoneInOtherWordsForTheSame(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"spelling of a number": {"1,000 rows", "1000 rows"},
		"thousands twice":      {"1,000,000 rows", "1000000 rows"},
		"comparison sign":      {"x <= 5", "x ≤ 5"},
		"weight":               {"1 kg", "1000 g"},
		"words and digits":     {"three months", "3 months"},
		"joined and apart":     {"a two-second delay, a 5-minute break", "a delay of two seconds, a break of 5 minutes"},
		"unit name":            {"wait 60 seconds", "wait 1 minute"},
		"unit spelling":        {"1000 ms pass", "1 s passes"},
		"repetition":           {"Port 80. The port is 80.", "Port 80."},
		"contraction":          {"It is not enabled.", "It isn't enabled."},
		"inflection":           {"It does not return.", "It never returns."},
		"prose":                {"The team prefers plain words, e.g. in titles.", "Plain words are what the team prefers in titles."},
		"order of names":       {"Use `a` and `b`.", "Use `b` and `a`."},
		"version mark":         {"since v1.2.3", "since 1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, wiki.Differences(pair[0], pair[1]))
		})
	}
}

func TestDifferencesAreNoneOfATextWithItselfAndMirrorWhenSwapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		require.Empty(t, wiki.Differences(a, a))
		there, back := wiki.Differences(a, b), wiki.Differences(b, a)
		require.Len(t, back, len(there))
	})
}

func TestDifferencesAreBounded(t *testing.T) {
	t.Parallel()
	require.Len(t, wiki.Differences(strings.Repeat("a1 b2 c3 ", 100), numbers(500)), wiki.MaxDifferences)
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("7", i%9+1))
		b.WriteRune(rune('a' + i%26))
		b.WriteString("9 ")
	}
	return b.String()
}
