package wiki_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestCleanMetadata(t *testing.T) {
	t.Parallel()
	for _, absent := range []string{"", "null", " "} {
		metadata, err := wiki.CleanMetadata(json.RawMessage(absent))
		require.NoError(t, err)
		require.Equal(t, map[string]any{}, metadata)
	}
	metadata, err := wiki.CleanMetadata(json.RawMessage(`{"cafe\u0301": ["e\u0301", 12345678901234567], "agent_id": "a1", "memory_type": "finding"}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"café": []any{"é", json.Number("12345678901234567")}, "agent_id": "a1", "memory_type": "finding",
	}, metadata)
}

func TestCleanMetadataKeepsNumbersAsWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"0", "-0", "0.0", "0E+0", "5e-324", "-1.7976931348623157e308", "1" + strings.Repeat("0", 300), "0." + strings.Repeat("3", 900)} {
		metadata, err := wiki.CleanMetadata(json.RawMessage(`{"a":` + n + `}`))
		require.NoError(t, err, n)
		require.Equal(t, map[string]any{"a": json.Number(n)}, metadata)
	}
}

func TestCleanMetadataRefuses(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"list": `[]`, "text": `"x"`, "number": `1`, "malformed": `{"a":`, "NUL in a value": `{"a":"\u0000"}`,
		"NUL in a key": `{"\u0000":1}`, "NUL deep down": `{"a":[{"b":"\u0000"}]}`, "huge number": `{"a":1e999}`,
		"tiny number": `{"a":1e-400}`, "tinier number": `{"a":[-1.5E-20000]}`, "absurd exponent": `{"a":1e-99999999999999999999}`,
		"zero scaled": `{"a":0e999999999999}`, "zero scaled down": `{"a":0e-401}`, "tiny, written out": `{"a":0.` + strings.Repeat("0", 900) + `1}`,
		"long fraction": `{"a":0.` + strings.Repeat("3", 17_000) + `}`, "one name in two forms": `{"a":{"e\u0301":1,"\u00e9":2}}`,
		"deep":              strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40),
		"very deep":         `{"a":` + strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000) + `}`,
		"too many bytes":    `{"a":"` + strings.Repeat("x", wiki.MaxMetadataBytes) + `"}`,
		"blank agent":       `{"agent_id":" "}`,
		"agent not text":    `{"agent_id":7}`,
		"long agent":        `{"agent_id":"` + strings.Repeat("x", wiki.MaxAgentIDBytes+1) + `"}`,
		"memory type":       `{"agent_id":"a","memory_type":"rumour"}`,
		"visibility":        `{"agent_id":"a","visibility":"team"}`,
		"misspelt private":  `{"visibility":"privat"}`,
		"visibility number": `{"visibility":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wiki.CleanMetadata(json.RawMessage(raw))
			requireFault(t, err, wiki.CodeInvalid, "metadata")
		})
	}
	// Without an agent_id the memory conventions are not checked (facts §1.3).
	_, err := wiki.CleanMetadata(json.RawMessage(`{"memory_type":"rumour"}`))
	require.NoError(t, err)
}

func TestVisibilityOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metadata map[string]any
		want     wiki.Visibility
		owner    string
	}{
		"nothing said": {map[string]any{}, wiki.VisibilityShared, ""},
		"shared":       {map[string]any{"visibility": "shared", "agent_id": "a"}, wiki.VisibilityShared, ""},
		"private":      {map[string]any{"visibility": "private", "agent_id": "a"}, wiki.VisibilityPrivate, "a"},
		"owner":        {map[string]any{"visibility": "owner"}, wiki.VisibilityPrivate, "creator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visibility, owner := wiki.VisibilityOf(c.metadata, "creator")
			require.Equal(t, c.want, visibility)
			require.Equal(t, c.owner, owner)
		})
	}
}

func TestCheckOwner(t *testing.T) {
	t.Parallel()
	agent := wiki.Actor{Key: uuid.New(), Agent: "a", Role: wiki.RoleAgent}
	require.NoError(t, wiki.CheckOwner(agent, ""))
	require.NoError(t, wiki.CheckOwner(agent, "a"))
	require.NoError(t, wiki.CheckOwner(agent, agent.Key.String()))
	requireFault(t, wiki.CheckOwner(agent, "b"), wiki.CodeInvalid, "metadata")
	agent.Role = wiki.RoleUser
	require.NoError(t, wiki.CheckOwner(agent, "b"))
}
