package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/diff"
	"wiki/tui/text"
)

const (
	before = "# Deploy\n\nThe server listens on port 8080 and keeps its data in /var/lib/wiki.\n\n- stop it\n- copy the files\n- start it\n\nAsk Ann.\n"
	after  = "# Deploy\n\nThe server listens on port 8081 and keeps its data in /srv/wiki.\n\n- stop it\n- start it\n\nNobody has to be asked any more.\n"
)

func plain(p diff.Page, v diff.View) string {
	cell := func(c diff.Cell) string {
		var s strings.Builder
		for _, span := range c.Spans {
			s.WriteString(span.Text)
		}
		return fmt.Sprintf("%c %s", c.Sign, text.Pad(s.String(), v.Width))
	}
	var out strings.Builder
	for i, r := range p.Rows {
		mark := " "
		for _, c := range p.Changes {
			if c == i {
				mark = ">"
			}
		}
		switch {
		case r.Folded > 0:
			fmt.Fprintf(&out, "%s ~%d\n", mark, r.Folded)
		case v.Layout == diff.Side:
			fmt.Fprintf(&out, "%s%s|%s\n", mark, cell(r.Left), strings.TrimRight(cell(r.Right), " "))
		default:
			fmt.Fprintf(&out, "%s\n", strings.TrimRight(mark+cell(r.Left), " "))
		}
	}
	return out.String()
}

func TestLay(t *testing.T) {
	t.Parallel()
	d := diff.Compute(before, after, diff.Options{})
	for name, c := range map[string]struct {
		view diff.View
		want string
	}{
		"side": {diff.View{Layout: diff.Side, Width: 26, Signs: true}, `
   # Deploy                  |  # Deploy
                             |
   The server listens on port|  The server listens on port
>- [-8080-] and keeps its    |+ {+8081+} and keeps its
 - data in /[-var/lib-]/wiki.|+ data in /{+srv+}/wiki.
                             |
   - stop it                 |  - stop it
>- - copy the files          |
   - start it                |  - start it
                             |
>- Ask Ann.                  |+ Nobody has to be asked any
                             |+ more.
`},
		"stacked": {diff.View{Layout: diff.Stacked, Width: 60}, `
   # Deploy

>- The server listens on port 8080 and keeps its data in
 - /var/lib/wiki.

 + The server listens on port 8081 and keeps its data in
 + /srv/wiki.

   - stop it
>- - copy the files
   - start it

>- Ask Ann.
 + Nobody has to be asked any more.
`},
		"unified": {diff.View{Layout: diff.Unified, Width: 60, Signs: true}, `
   # Deploy

>~ The server listens on port [-8080-]{+8081+} and keeps its
 ~ data in /[-var/lib-]{+srv+}/wiki.

   - stop it
>- - copy the files
   - start it

>- Ask Ann.
 + Nobody has to be asked any more.
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, strings.TrimPrefix(c.want, "\n"), plain(d.Lay(c.view), c.view))
		})
	}
}

func TestFolds(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("- the same\n", 10)
	v := diff.View{Layout: diff.Stacked, Width: 20, OnlyChanges: true}
	got := plain(diff.Compute(same+"- port 1\n"+same+"- port 3", same+"- port 2\n"+same+"- port 4", diff.Options{}).Lay(v), v)
	require.Equal(t, `  ~8
   - the same
   - the same
>- - port 1
 + - port 2
   - the same
   - the same
  ~6
   - the same
   - the same
>- - port 3
 + - port 4
`, got)
}

func TestSpaceIsShownWhereOnlySpaceChanged(t *testing.T) {
	t.Parallel()
	v := diff.View{Layout: diff.Unified, Width: 20, Signs: true}
	require.Equal(t, ">~ one[-·-]{+··+}two\n", plain(diff.Compute("one two", "one  two", diff.Options{}).Lay(v), v))
	require.Equal(t, ">~ one[-·-]{+↵+}\n   two\n", plain(diff.Compute("one two", "one\ntwo", diff.Options{}).Lay(v), v))
}

func TestParagraphsFlow(t *testing.T) {
	t.Parallel()
	lay := func(a, b string, width int) string {
		v := diff.View{Layout: diff.Unified, Width: width, Signs: true}
		return plain(diff.Compute(a, b, diff.Options{IgnoreSpace: true}).Lay(v), v)
	}
	wrapped := "This line was broken by an editor that wraps at fifty\ncolumns, and so was this one, which goes on for some\nmore.\n"
	require.Equal(t, `   This line was broken by an editor that wraps at fifty columns, and so was this one,
>~ which goes on for [-some-]{+much+} more.
`, lay(wrapped, strings.Replace(wrapped, "some", "much", 1), 83))
	for name, kept := range map[string]string{
		"short lines": "Ann Example\nHigh Street 1\n", "hard breaks": strings.Repeat("word ", 12) + " \nnext line\n",
		"indented code": "Run:\n\n    " + strings.Repeat("cmd ", 12) + "\n    next\n", "list": "- " + strings.Repeat("word ", 12) + "\n- next\n",
	} {
		require.Equal(t, strings.Count(kept, "\n"), strings.Count(lay(kept, kept, 90), "\n"), name)
	}
}

func TestLayLosesNothing(t *testing.T) {
	t.Parallel()
	strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Inert(prose().Draw(t, "a")), text.Inert(prose().Draw(t, "b"))
		v := diff.View{Layout: diff.Side, Width: rapid.IntRange(2, 40).Draw(t, "width")}
		var left, right strings.Builder
		p := diff.Compute(a, b, diff.Options{IgnoreSpace: true}).Lay(v)
		for _, r := range p.Rows {
			for _, s := range r.Left.Spans {
				left.WriteString(s.Text)
				require.NotContains(t, s.Text, "\n")
			}
			for _, s := range r.Right.Spans {
				right.WriteString(s.Text)
			}
		}
		require.Equal(t, strip(a), strip(left.String()))
		require.Equal(t, strip(b), strip(right.String()))
		for i, c := range p.Changes {
			require.True(t, p.Rows[c].Changed() && (i == 0 || c > p.Changes[i-1]))
		}
		v.OnlyChanges = true
		shown := 0
		folded := diff.Compute(a, b, diff.Options{IgnoreSpace: true}).Lay(v)
		for _, r := range folded.Rows {
			shown += max(1, r.Folded)
		}
		require.Equal(t, len(p.Rows), shown)
		require.Len(t, folded.Changes, len(p.Changes))
	})
}

// How many changes there are is said on screen: it has to be the same however the comparison is laid out.
func TestChangesAreCountedAlikeInEveryLayout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Inert(prose().Draw(t, "a")), text.Inert(prose().Draw(t, "b"))
		d := diff.Compute(a, b, diff.Options{IgnoreSpace: rapid.Bool().Draw(t, "loose")})
		want := -1
		for _, layout := range diff.Layouts {
			p := d.Lay(diff.View{Layout: layout, Width: rapid.IntRange(2, 60).Draw(t, "width")})
			if want < 0 {
				want = len(p.Changes)
			}
			require.Len(t, p.Changes, want, "%s: %q %q", layout, a, b)
		}
	})
}
