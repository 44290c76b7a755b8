package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/tui/action"
	"wiki/tui/config"
)

func TestParse(t *testing.T) {
	t.Parallel()
	f, err := config.Parse([]byte(`# mine
server: http://wiki.example:7171
key_file: ~/.wiki.key
theme: light
keys:
  judge.dismiss: [x, "Y"]   # yes in YAML's old days
  undo: z
  help: "?"
  redo: []
`))
	require.NoError(t, err)
	require.Equal(t, config.File{
		Server: "http://wiki.example:7171", KeyFile: "~/.wiki.key", Theme: "light",
		Keys: []action.Binding{
			{ID: "judge.dismiss", Keys: []string{"x", "Y"}, Line: 6},
			{ID: "undo", Keys: []string{"z"}, Line: 7},
			{ID: "help", Keys: []string{"?"}, Line: 8},
			{ID: "redo", Keys: []string{}, Line: 9},
		},
	}, f)
	_, err = action.Default().Rebind(f.Keys)
	require.NoError(t, err)
	for _, empty := range []string{"", "# nothing\n", "keys:\n"} {
		_, err := config.Parse([]byte(empty))
		require.NoError(t, err, empty)
	}
}

func TestWhatIsWrongIsNamedByItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"server: a\ntheme: pink\n":     "line 2: there is no theme \"pink\"",
		"\ncolour: red\n":              "line 2: there is no setting \"colour\"",
		"- a\n":                        "line 1: expected lines",
		"server: [a]\n":                "line 1: server takes one value",
		"keys:\n  undo:\n    a: b\n":   "line 2: undo takes a key",
		"keys:\n  undo: [[a]]\n":       "line 2: undo: a key is one word",
		"keys: {undo: z\nserver: 'x\n": "it is no YAML",
	} {
		_, err := config.Parse([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tui.yaml")
	f, err := config.Read(path)
	require.NoError(t, err)
	require.Empty(t, f)
	require.NoError(t, os.WriteFile(path, []byte("theme: x\n"), 0o600))
	_, err = config.Read(path)
	require.ErrorContains(t, err, path+", line 1: ")
}
