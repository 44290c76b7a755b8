package field_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/tui/field"
	"wiki/tui/text"
)

func TestTyping(t *testing.T) {
	t.Parallel()
	var f field.Field
	for _, r := range "port 80" {
		require.True(t, f.Key(string(r), string(r)))
	}
	f.Key("backspace", "")
	f.Insert("👩‍👩‍👧é")
	f.Key("left", "")
	f.Key("backspace", "")
	require.Equal(t, "port 8é", f.Text(), "a joined emoji goes as one")
	f.Key("ctrl+w", "")
	require.Equal(t, "port é", f.Text())
	f.Key("home", "")
	f.Key("delete", "")
	require.Equal(t, "ort é", f.Text())
	require.False(t, f.Key("f5", ""))
	require.False(t, f.Key("alt+enter", ""))
}

func TestPasteIsText(t *testing.T) {
	t.Parallel()
	var f field.Field
	f.Insert("a\x1b[31mb\r\nc\x00")
	require.Equal(t, "a[31mb c", f.Text())
	f = field.Field{Lines: true, Max: 6}
	f.Insert("é\néé\nmuch more")
	require.Equal(t, "é\né", f.Text(), "cut at a character's border")
}

func TestNothingTypedBreaksTheField(t *testing.T) {
	t.Parallel()
	keys := []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "alt+enter", ""}
	rapid.Check(t, func(t *rapid.T) {
		f := field.Field{Lines: true}
		for range 30 {
			f.Key(rapid.SampledFrom(keys).Draw(t, "key"), rapid.String().Draw(t, "typed"))
			require.True(t, utf8.ValidString(f.Text()))
			lines, column, row := f.View(20, 3)
			require.LessOrEqual(t, len(lines), 3)
			require.Less(t, column, 20)
			require.True(t, row >= 0 && row < len(lines))
			require.LessOrEqual(t, text.Width(strings.Join(lines[:1], "")), 20)
		}
	})
}
