package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// loaded reads settings from flags, the environment of the test and a file.
func loaded(t *testing.T, file string, args ...string) (*settings, []*field, error) {
	t.Helper()
	s := defaultSettings()
	all := fields(&s)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	bind(flags, all)
	require.NoError(t, flags.Parse(args))
	return &s, all, load(flags, all, file, &s)
}

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wiki.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	t.Setenv("WIKI_RATE_PER_KEY", "20")
	t.Setenv("WIKI_LOG_LEVEL", "warn")
	t.Setenv("WIKI_HOME", t.TempDir())
	file := settingsFile(t, "rate-per-key: 30\nlog-level: error\nheavy-timeout: 750ms\nlisten: 127.0.0.1:1\n")
	s, _, err := loaded(t, file, "--rate-per-key=10")
	require.NoError(t, err)
	require.Equal(t, 10, s.RatePerKey)
	require.Equal(t, "warn", s.LogLevel)
	require.Equal(t, 750*time.Millisecond, s.HeavyTimeout)
	require.Equal(t, "127.0.0.1:1", s.Listen)
	require.Equal(t, defaultSettings().DBConns, s.DBConns)
}

func TestWrongSettingsNameTheirPlace(t *testing.T) {
	t.Setenv("WIKI_HOME", t.TempDir())
	for text, field := range map[string]string{
		"lisen: x":          "lisen",
		"rate-per-key: ten": "rate-per-key",
		"heavy-timeout: 5":  "heavy-timeout",
		"- a list":          "config",
	} {
		_, _, err := loaded(t, settingsFile(t, text))
		var e *wiki.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, field, e.Field)
	}
	_, _, err := loaded(t, filepath.Join(t.TempDir(), "absent.yaml"))
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://owner:hunter2@db.example:5432/wiki?sslmode=require&password=hunter2")
	t.Setenv("WIKI_EMBEDDINGS_KEY", "sk-hunter2")
	t.Setenv("WIKI_HOME", t.TempDir())
	_, all, err := loaded(t, "")
	require.NoError(t, err)
	sources := map[string]string{}
	for _, f := range all {
		require.NotContains(t, f.shown(), "hunter2", f.name)
		sources[f.name] = f.source
	}
	require.Equal(t, "environment", sources["database-url"])
	require.Equal(t, sourceDefault, sources["internal-listen"])
}
