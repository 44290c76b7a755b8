package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/tui/config"
)

func none(string) string { return "" }

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestConnectTakesTheNearestWord(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, runningName), `{"pid":1,"url":"http://running:1","dsn":"x"}`)
	write(t, filepath.Join(home, userKeyName), "wk_local\n")
	keyFile := write(t, filepath.Join(home, "mine"), " wk_file \n")
	env := func(values map[string]string) func(string) string { return func(k string) string { return values[k] } }

	for name, c := range map[string]struct {
		flags flags
		file  config.File
		env   map[string]string
		homes []string
		want  connection
	}{
		"nothing":             {want: connection{}},
		"a server here":       {homes: []string{t.TempDir(), home}, want: connection{"http://running:1", "wk_local"}},
		"the config file":     {file: config.File{Server: "http://file", KeyFile: keyFile}, homes: []string{home}, want: connection{"http://file", "wk_file"}},
		"the environment":     {file: config.File{Server: "http://file", KeyFile: keyFile}, env: map[string]string{envURL: "http://env", envKey: "wk_env"}, want: connection{"http://env", "wk_env"}},
		"the command line":    {flags: flags{server: "http://flag", keyFile: keyFile}, env: map[string]string{envURL: "http://env", envKey: "wk_env"}, want: connection{"http://flag", "wk_file"}},
		"a server that rests": {homes: []string{resting(t)}, want: connection{defaultServer, "wk_rest"}},
	} {
		got, err := connect(c.flags, c.file, env(c.env), c.homes)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	_, err := connect(flags{keyFile: "/nowhere"}, config.File{}, none, nil)
	require.ErrorContains(t, err, "the key file cannot be read")
	_, err = connect(flags{keyFile: write(t, filepath.Join(home, "empty"), "\n")}, config.File{}, none, nil)
	require.ErrorContains(t, err, "is empty")
}

func resting(t *testing.T) string {
	home := t.TempDir()
	write(t, filepath.Join(home, userKeyName), "wk_rest")
	return home
}

func TestWhatIsMissingIsExplained(t *testing.T) {
	t.Parallel()
	require.Contains(t, connection{}.missing(), "No server is known yet.")
	require.Contains(t, connection{server: "http://a"}.missing()[1], "no key is known")
	require.Nil(t, connection{server: "http://a", key: "k"}.missing())
}

func TestStateDirNeedsAPlaceThatLasts(t *testing.T) {
	t.Parallel()
	dir, err := stateDir(func(k string) string { return map[string]string{"XDG_STATE_HOME": "/s"}[k] })
	require.NoError(t, err)
	require.Equal(t, "/s/wiki", dir)
	require.Equal(t, []string{"/h"}, serverHomes(func(k string) string { return map[string]string{envHome: "/h"}[k] }))
	require.Equal(t, []string{"/d/wiki", "/var/lib/wiki"}, serverHomes(func(k string) string { return map[string]string{"XDG_DATA_HOME": "/d"}[k] }))
}

func TestKeysAreBoundOrRefused(t *testing.T) {
	t.Parallel()
	good := write(t, filepath.Join(t.TempDir(), "tui.yaml"), "keys:\n  judge.dismiss: x\n")
	out, err := output("keys", "--config", good)
	require.NoError(t, err)
	require.Regexp(t, `judge\.dismiss +x `, out)

	bad := write(t, filepath.Join(t.TempDir(), "tui.yaml"), "theme: dark\nkeys:\n  judge.dismiss: s\n")
	_, err = output("keys", "--config", bad)
	require.ErrorContains(t, err, bad+", line 3: judge.dismiss cannot have the key \"s\"")
	_, err = output("keys", "--config", "/nowhere.yaml")
	require.ErrorContains(t, err, "there is no config file")
}

func TestTheKeysDocumentIsFresh(t *testing.T) {
	t.Parallel()
	want, err := output("keys", "--markdown")
	require.NoError(t, err)
	have, err := os.ReadFile("../../tui/keys.md")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: go run ./cmd/wiki-tui keys --markdown > tui/keys.md")
}

func TestWithoutATerminalItSaysSo(t *testing.T) {
	t.Parallel()
	_, err := output("--server", "http://127.0.0.1:1")
	require.ErrorContains(t, err, "this is no terminal")
}

// A script reads lines of JSON whatever happens, and the last one says what went wrong.
func TestJSONIsALineEachWhateverHappens(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("wk_x\n"), 0o600))
	nobody := []string{"--json", "--key-file", key, "--server", "http://127.0.0.1:1"}
	for name, c := range map[string]struct {
		args []string
		code wiki.Code // of the error; none = it ends well
	}{
		"an unknown flag":                   {[]string{"--nonsense", "--json"}, wiki.CodeInvalid},
		"two ways at once":                  {[]string{"--json", "--plain"}, wiki.CodeInternal},
		"no such config":                    {append(nobody, "--config", "absent"), wiki.CodeInvalid},
		"no such key":                       {[]string{"--json", "--key-file", "absent", "--server", "http://127.0.0.1:1"}, wiki.CodeInvalid},
		"an address that is none":           {[]string{"--json", "--key-file", key, "--server", "nonsense"}, wiki.CodeInvalid},
		"a server that is away, and Ctrl-C": {nobody, ""},
	} {
		t.Run(name, func(t *testing.T) {
			input, typing := io.Pipe() // nobody types, and nobody closes it
			defer func() { _ = typing.Close() }()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var out lines
			out.wrote = stop // Ctrl-C at the first line
			var errOut bytes.Buffer
			code := run(ctx, c.args, input, &out, &errOut)
			require.Empty(t, errOut.String())
			var last struct {
				Error string
				Code  wiki.Code
			}
			for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
				require.NoError(t, json.Unmarshal([]byte(line), &last), line)
			}
			require.Equal(t, c.code, last.Code, last.Error)
			require.Equal(t, c.code == "", code == 0)
			require.Equal(t, c.code == "", last.Error == "")
		})
	}
}

// lines tells when something was written.
type lines struct {
	bytes.Buffer
	wrote func()
}

func (l *lines) Write(p []byte) (int, error) {
	defer l.wrote()
	return l.Buffer.Write(p)
}

func output(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := command()
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestRecordingsAreOpenedBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session")
	w, err := wayOf(flags{record: path}, nil, nil)
	require.NoError(t, err)
	w.recorder.Filter(nil, tea.PasteMsg{Content: "x"})
	w.close()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = wayOf(flags{record: path}, nil, nil)
	require.ErrorContains(t, err, "is there already")
	w, err = wayOf(flags{replay: path}, nil, nil)
	require.NoError(t, err)
	require.Len(t, w.entries, 1)
	require.NoError(t, os.WriteFile(path, []byte("j\n"), 0o600))
	_, err = wayOf(flags{replay: path}, nil, nil)
	require.ErrorContains(t, err, "line 1 of the recording")
	_, err = wayOf(flags{replay: path + ".not"}, nil, nil)
	require.ErrorContains(t, err, "cannot be opened")
}
