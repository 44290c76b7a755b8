package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/eval"
)

// gateShell is a shell without a database: the gate is measured without one.
func gateShell(t *testing.T) shell {
	t.Helper()
	return shell{t: t, state: t.TempDir(), dsn: "postgres://nobody@127.0.0.1:1/none"}
}

func TestEvalGatePrintsTheSweepAndFailsOnAWrongDuplicate(t *testing.T) {
	t.Parallel()
	s := gateShell(t)
	out := s.ok("eval", "--gate")
	require.Regexp(t, `(?m)^ *0\.97 +1\.000 +0\.\d{3} +0 `, out)
	require.Regexp(t, `(?m)^ *negation +twin +14 +0 +14 `, out)
	require.Contains(t, out, "duplicate 0.97, low novelty 0.88, conflict 0.93")
	require.NotContains(t, out, "speak for")

	pairs := t.TempDir()
	const graded = "A man carries a dog.,A man carries a dog.,1.0\nThe ferry sails at noon.,The ferry sails at noon.,5.0\n"
	require.NoError(t, os.WriteFile(filepath.Join(pairs, "x.csv"), []byte(graded), 0o600))
	code, out, errOut := s.run("eval", "--gate", "--pairs", pairs)
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, `WRONG stsb: "A man carries a dog."`)
	require.Contains(t, errOut, "what to do")

	code, out, _ = s.run("--json", "eval", "--pairs", pairs)
	require.Equal(t, exitFailed, code)
	raw, f := readDocument(t, out)
	require.Equal(t, codeWrongDuplicate, f.Code)
	c := decoded[eval.Calibration](t, string(raw))
	require.Len(t, c.Sets, 2)
	require.Len(t, c.Wrong(), 1)
	require.Len(t, c.Sets[0].Sweep, 31)
}

func TestEvalGateRefusesADirectoryWithoutPairs(t *testing.T) {
	t.Parallel()
	code, _, errOut := gateShell(t).run("eval", "--gate", "--pairs", t.TempDir())
	require.Equal(t, exitUsage, code)
	require.Contains(t, errOut, "no CSV files")
}
