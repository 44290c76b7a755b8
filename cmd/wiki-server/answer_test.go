package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"wiki/core/ingest"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

const (
	noDatabase = "--database-url=postgres://nobody@127.0.0.1:1/wiki" // nothing answers there
	folder     = "{folder}"                                          // stands for one with a note
)

// jsonCommands are all commands but mcp, whose output is a protocol's, with a way to call each and to make it fail.
// TestEveryCommandIsHere finds the one that is missing.
var jsonCommands = map[string]struct {
	args []string
	fail []string // flags or arguments with which it fails
	code wiki.Code
}{
	"serve":                {[]string{"--listen=127.0.0.1:0"}, []string{"--listen=nowhere"}, wiki.CodeInvalid},
	"dev":                  {[]string{"--listen=127.0.0.1:0"}, []string{"--content=absent"}, wiki.CodeInvalid},
	"setup":                {nil, []string{noDatabase}, wiki.CodeUnavailable},
	"migrate":              {nil, []string{noDatabase}, wiki.CodeUnavailable},
	"import":               {[]string{folder}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"tags reserve":         {nil, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"nightly":              {nil, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"nightly pause":        {[]string{"verdicts"}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"nightly resume":       {[]string{"verdicts"}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"tenant create":        {[]string{"acme"}, []string{noDatabase}, wiki.CodeUnavailable},
	"tenant list":          {nil, []string{noDatabase}, wiki.CodeUnavailable},
	"tenant suspend":       {[]string{"acme"}, []string{noDatabase}, wiki.CodeUnavailable},
	"tenant resume":        {[]string{"acme"}, []string{noDatabase}, wiki.CodeUnavailable},
	"tenant lone-operator": {[]string{"acme"}, []string{noDatabase}, wiki.CodeUnavailable},
	"tenant blind-review":  {[]string{"acme"}, []string{noDatabase}, wiki.CodeUnavailable},
	"key create":           {[]string{"bot"}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"key list":             {nil, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"key revoke":           {[]string{uuid.NewString()}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"key rotate":           {[]string{uuid.NewString()}, []string{"--tenant=nobody"}, wiki.CodeNotFound},
	"eval":                 {nil, []string{"--baseline=absent"}, wiki.CodeInvalid},
	"config":               {nil, []string{"--log-level=loud"}, wiki.CodeInvalid},
	"doctor":               {[]string{"--listen=127.0.0.1:0"}, []string{noDatabase}, wiki.CodeUnavailable},
	"version":              {nil, []string{"--log-level=loud"}, wiki.CodeInvalid},
}

func TestEveryCommandIsHere(t *testing.T) {
	t.Parallel()
	var found []string
	var walk func(path string, c *cobra.Command)
	walk = func(path string, c *cobra.Command) {
		if group := c.HasSubCommands() && c.Use != "nightly"; !group {
			found = append(found, path)
		}
		for _, sub := range c.Commands() {
			walk(strings.TrimSpace(path+" "+sub.Name()), sub)
		}
	}
	a := &app{settings: defaultSettings()}
	walk("", a.root())
	require.ElementsMatch(t, append(slices.Collect(maps.Keys(jsonCommands)), "mcp"), found)
}

// document reads the one JSON document that a text has to be, and its error.
func readDocument(t *testing.T, text string) (raw json.RawMessage, f failure) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	require.NoError(t, d.Decode(&raw), text)
	_, err := d.Token()
	require.ErrorIs(t, err, io.EOF, "more than one document:\n%s", text)
	if strings.HasPrefix(string(raw), "{") {
		var doc struct{ Error failure }
		require.NoError(t, json.Unmarshal(raw, &doc), text)
		f = doc.Error
	}
	return raw, f
}

// Whatever becomes of a command, a script that asked for JSON reads one document; it has the error when the exit code is
// not 0.
func TestJSONIsOneDocumentWhateverHappens(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("setup")
	notes := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(notes, "a.md"), []byte("# Tides\n\nThe tide turns twice a day.\n"), 0o600))
	for _, name := range slices.Sorted(maps.Keys(jsonCommands)) {
		t.Run(name, func(t *testing.T) {
			s := shell{t: t, state: s.state, dsn: s.dsn}
			c := jsonCommands[name]
			call := strings.Fields(name)
			for _, arg := range c.args {
				call = append(call, strings.ReplaceAll(arg, folder, notes))
			}

			code, out, errOut := s.run(slices.Concat(call, c.fail, []string{"--json"})...)
			_, f := readDocument(t, out)
			require.Equal(t, c.code, f.Code, "%s%s", out, errOut)
			require.NotEmpty(t, f.Message)
			require.Equal(t, exitCode(c.code), code)

			code, out, _ = s.run(slices.Concat(call, []string{"--nonsense", "--json"})...)
			_, f = readDocument(t, out)
			require.Equal(t, wiki.CodeInvalid, f.Code)
			require.Equal(t, exitUsage, code)

			for _, after := range []time.Duration{0, 100 * time.Millisecond} {
				ctx, cancel := context.WithCancel(t.Context())
				stop := time.AfterFunc(after, cancel)
				if after == 0 {
					cancel()
				}
				code, out, errOut := s.runIn(ctx, slices.Concat(call, []string{"--json"})...)
				stop.Stop()
				cancel()
				_, f := readDocument(t, out)
				require.Equal(t, code == exitOK, f.Code == "", "exit code %d: %s%s", code, out, errOut)
			}
		})
	}
}

func TestAGroupWithoutACommandIsAnErrorForAScript(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"", "tenant", "key", "tags"} {
		code, out, _ := shell{t: t, state: t.TempDir()}.run(append(strings.Fields(group), "--json")...)
		require.Equal(t, exitUsage, code, group)
		_, f := readDocument(t, out)
		require.Equal(t, wiki.CodeInvalid, f.Code)
	}
}

// A stopped import still reports the files that were answered, and says in the same document that it was stopped.
func TestAStoppedImportReportsInOneDocument(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok("setup")
	dir := t.TempDir()
	for i := range 2000 {
		text := fmt.Sprintf("# Buoy %d\n\nBuoy %d lies off the northern pier.\n", i, i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte(text), 0o600))
	}
	db := pgtest.Open(t, postgres.Config{DSN: s.dsn})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(func() {
		for imported := 0; imported < 3 && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
			_ = db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
				return tx.QueryRow(ctx, "select count(*) from import_files").Scan(&imported)
			})
		}
		cancel()
	})
	code, out, _ := s.runIn(ctx, "import", dir, "--json")
	cancel()
	watching.Wait()
	require.Equal(t, exitBlocked, code)
	raw, f := readDocument(t, out)
	require.Equal(t, codeStopped, f.Code)
	require.Contains(t, f.Remediation, "goes on where it was")
	report := decoded[ingest.Report](t, string(raw))
	require.False(t, report.Finished)
	require.NotEmpty(t, report.Files)
	require.Less(t, len(report.Files), 2000)
}

// Doctor's findings and an evaluation's numbers are not lost to the error that they are the reason of.
func TestAnAnswerAndItsErrorAreOneDocument(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	code, out, _ := s.run("doctor", "--json", "--listen", l.Addr().String())
	require.Equal(t, exitBlocked, code)
	raw, f := readDocument(t, out)
	require.Equal(t, wiki.CodeUnavailable, f.Code)
	require.Contains(t, checks(decoded[examined](t, string(raw))), "address")
}

func checks(e examined) (names []string) {
	for _, f := range e.Findings {
		names = append(names, f.Check)
	}
	return names
}

// A list has no member for an error, and what was printed already is not printed again.
func TestWhatCannotTakeTheErrorLeavesItWhole(t *testing.T) {
	t.Parallel()
	var out, errOut strings.Builder
	a := &app{json: true, out: &out, err: &errOut}
	require.NoError(t, a.answerNow([]string{"<a>"}))
	require.Equal(t, exitFailed, a.fail(t.Context(), errors.New("broke")))
	raw, _ := readDocument(t, out.String())
	require.JSONEq(t, `["<a>"]`, string(raw))
	_, f := readDocument(t, errOut.String())
	require.Equal(t, failure{Code: wiki.CodeInternal, Message: "broke"}, f)

	out.Reset()
	a = &app{json: true, out: &out, err: &errOut}
	require.NoError(t, a.answer([]string{"a"}))
	require.Equal(t, exitFailed, a.fail(t.Context(), errors.New("broke")))
	_, f = readDocument(t, out.String())
	require.Equal(t, "broke", f.Message)
}
