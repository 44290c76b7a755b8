package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/diff"
)

// show writes a diff in wdiff's signs, a bar between blocks.
func show(d diff.Diff) string {
	var s strings.Builder
	for i, b := range d.Blocks {
		if i > 0 {
			s.WriteString("|")
		}
		for _, r := range b.Runs {
			if !r.Changed {
				s.WriteString(r.A)
				continue
			}
			if r.A != "" {
				s.WriteString("[-" + r.A + "-]")
			}
			if r.B != "" {
				s.WriteString("{+" + r.B + "+}")
			}
		}
	}
	return s.String()
}

func TestCompute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, a, b, want string }{
		{"equal", "One.\n\nTwo.", "One.\n\nTwo.", "One.\n\n|Two."},
		{"a word", "The server listens on port 8080.", "The server listens on port 8081.", "The server listens on port [-8080-]{+8081+}."},
		{"a word more", "It is safe.", "It is not safe.", "It is {+not +}safe."},
		{"two words are one change", "use old text here please", "use new words here please", "use [-old text-]{+new words+} here please"},
		{"two insertions stay two", "b, d", "a b, c d", "{+a +}b, {+c +}d"},
		{"a paragraph more", "One is here.\n\nThree is there.\n", "One is here.\n\nTwo came between.\n\nThree is there.\n", "One is here.\n\n|{+Two came between.\n\n+}|Three is there.\n"},
		{
			"edited finds its original after an insertion", "Alpha beta gamma delta.\n\nEnd.", "Brand new words first.\n\nAlpha beta gamma epsilon.\n\nEnd.",
			"{+Brand new words first.\n\n+}|Alpha beta gamma [-delta-]{+epsilon+}.\n\n|End.",
		},
		{"nothing in common", "Some text.", "Quite other words!", "[-Some text.-]{+Quite other words!+}"},
		{"list items are units", "- milk\n- eggs\n- bread\n", "- milk\n- bread\n", "- milk\n|[-- eggs\n-]|- bread\n"},
		{"lines of code are units", "```\na = 1\nb = 2\n```\n", "```\na = 1\nc = 3\nb = 2\n```\n", "```\n|a = 1\n|{+c = 3\n+}|b = 2\n|```\n"},
		{"Chinese by character", "我喜欢苹果。", "我喜欢香果。", "我喜欢[-苹-]{+香+}果。"},
		{"accents in one word", "cafe\u0301 noir", "cafe noir", "[-cafe\u0301-]{+cafe+} noir"},
		{"white space", "one two\n", "one  two\n", "one[- -]{+  +}two\n"},
		{"from nothing", "", "All new.", "{+All new.+}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, show(diff.Compute(c.a, c.b, diff.Options{})))
		})
	}
}

func TestIgnoreSpace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b string }{
		{"one two\nthree\n", "one  two three"},
		{"a\n\n\nb\n", "a\n\nb"},
		{"\n\na", "a"},
		{"say word, then\n\n", "say word,\nthen"},
	} {
		for _, block := range diff.Compute(c.a, c.b, diff.Options{IgnoreSpace: true}).Blocks {
			require.False(t, block.Changed(), "%q %q: %v", c.a, c.b, block)
		}
	}
	d := diff.Compute("one two\nthree", "one two  four", diff.Options{IgnoreSpace: true})
	require.Equal(t, []diff.Run{{A: "one two\n", B: "one two  "}, {Changed: true, A: "three", B: "four"}}, d.Blocks[0].Runs)
}

func requireSound(t require.TestingT, a, b string, o diff.Options) {
	d := diff.Compute(a, b, o)
	var left, right strings.Builder
	for _, block := range d.Blocks {
		for _, r := range block.Runs {
			left.WriteString(r.A)
			right.WriteString(r.B)
			switch {
			case r.Changed:
				require.NotEqual(t, r.A, r.B, "a change that changes nothing")
			case o.IgnoreSpace:
				require.Equal(t, strings.Join(strings.Fields(r.A), " "), strings.Join(strings.Fields(r.B), " "))
			default:
				require.Equal(t, r.A, r.B)
			}
		}
	}
	require.Equal(t, a, left.String())
	require.Equal(t, b, right.String())
	back := diff.Compute(b, a, o)
	require.Len(t, back.Blocks, len(d.Blocks))
	for i, block := range d.Blocks {
		require.Len(t, back.Blocks[i].Runs, len(block.Runs))
		for j, r := range block.Runs {
			require.Equal(t, diff.Run{Changed: r.Changed, A: r.B, B: r.A}, back.Blocks[i].Runs[j])
		}
	}
}

// prose draws texts with words, paragraphs and markup, so that much is shared.
func prose() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"alpha ", "beta ", "gamma", " ", "\n", "\n\n", "- ", "# ", "```\n", ", ", ".", "世界", "e\u0301", "👩\u200d👩", "\xff", "port 8080 ", "the quick brown fox "})
	return rapid.Map(rapid.SliceOf(piece), func(s []string) string { return strings.Join(s, "") })
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.OneOf(prose(), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		requireSound(t, a, b, diff.Options{IgnoreSpace: rapid.Bool().Draw(t, "ignore space")})
	})
}

// article makes a text of about size bytes; edits is the share of its words that differ from those of another seed.
func article(seed uint64, size int, edits float64, wordsPerParagraph int) string {
	base, own := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(seed, 1))
	var s strings.Builder
	for n := 1; s.Len() < size; n++ {
		word := base.IntN(20_000)
		if own.Float64() < edits {
			word = own.IntN(20_000)
		}
		fmt.Fprintf(&s, "w%d", word)
		if n%wordsPerParagraph == 0 {
			s.WriteString(".\n\n")
		} else {
			s.WriteString(" ")
		}
	}
	return s.String()
}

// bigPairs are the shapes that could make a diff slow.
func bigPairs(size int) map[string][2]string {
	lines := func(seed uint64) string {
		r := rand.New(rand.NewPCG(seed, 2))
		var s strings.Builder
		for s.Len() < size {
			fmt.Fprintf(&s, "- %c%c\n", 'a'+r.IntN(26), 'a'+r.IntN(3))
		}
		return s.String()
	}
	return map[string][2]string{
		"few edits":     {article(1, size, 0.01, 80), article(2, size, 0.01, 80)},
		"many edits":    {article(1, size, 0.2, 80), article(2, size, 0.2, 80)},
		"unlike":        {article(1, size, 1, 80), article(2, size, 1, 80)},
		"one paragraph": {article(1, size, 0.1, 1<<30), article(2, size, 0.1, 1<<30)},
		"one, unlike":   {article(1, size, 1, 1<<30), article(2, size, 1, 1<<30)},
		"short lines":   {lines(1), lines(2)},
		"one word":      {strings.Repeat("a ", size/2), strings.Repeat("a b ", size/4)},
		"no words":      {strings.Repeat("\n", size), strings.Repeat(". \n\n", size/4)},
	}
}

func TestBigTexts(t *testing.T) {
	t.Parallel()
	for name, p := range bigPairs(60_000) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireSound(t, p[0], p[1], diff.Options{})
		})
	}
}

// BenchmarkCompute compares texts at the largest size of an article, 500,000 bytes each.
func BenchmarkCompute(b *testing.B) {
	for name, p := range bigPairs(500_000) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				diff.Compute(p[0], p[1], diff.Options{})
			}
		})
	}
}
