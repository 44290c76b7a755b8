package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// An agent's client that starts wiki-server mcp: every line on standard output is the protocol's.
func TestAnAgentReachesTheServerOverStandardIO(t *testing.T) {
	t.Parallel()
	s, addr := newShell(t), freeAddress(t)
	stop := s.dev(addr, "--content", t.TempDir())
	s.curator(addr)
	made := decoded[shownKey](t, s.ok("key", "create", "bot", "--role", "agent", "--agent-id", "bot", "--json"))
	key := filepath.Join(s.state, "agent-key")
	require.NoError(t, writePrivate(key, []byte(made.Secret+"\n")))

	ours, theirs := io.Pipe()
	answers, out := io.Pipe()
	var printed, errOut bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"--state-dir", s.state, "mcp", "--json", "--key-file", key, "--log-level", "debug"}, ours, io.MultiWriter(out, &printed), &errOut)
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "an agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: answers, Writer: theirs}, nil)
	require.NoError(t, err)
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "knowledge_create", Arguments: map[string]any{
		"title": "Lantern oil", "body": "Lanterns burn whale oil.", "category": "finding",
	}})
	require.NoError(t, err)
	require.False(t, r.IsError, "%v", r.Content)
	r, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "knowledge_list", Arguments: map[string]any{"category": "finding", "limit": 1}})
	require.NoError(t, err)
	require.Contains(t, r.Content[0].(*sdk.TextContent).Text, "Lantern oil")

	// The server is gone: the tool says so, and the program stays.
	code, _, _ := stop()
	require.Equal(t, exitOK, code)
	r, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "knowledge_stats"})
	require.NoError(t, err)
	require.True(t, r.IsError)
	require.Contains(t, r.Content[0].(*sdk.TextContent).Text, `"unavailable"`)

	require.NoError(t, session.Close())
	require.NoError(t, theirs.Close())
	select {
	case code := <-done:
		require.Equal(t, exitOK, code, errOut.String())
	case <-time.After(time.Minute):
		t.Fatal("it does not end with its input")
	}
	for line := range strings.Lines(printed.String()) {
		var message struct {
			Version string `json:"jsonrpc"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &message), line)
		require.Equal(t, "2.0", message.Version, line)
	}
	require.NotContains(t, errOut.String(), made.Secret)
}

func TestWithoutAKeyOrAServerNoToolsAreOffered(t *testing.T) {
	t.Setenv(envKey, "")
	s := shell{t: t, state: t.TempDir()}
	code, out, errOut := s.run("mcp")
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Contains(t, errOut, "wiki-server key create")
	t.Setenv(envKey, "wk_"+strings.Repeat("x", 40))
	code, out, errOut = s.run("mcp", "--server", "http://"+freeAddress(t))
	require.Equal(t, exitBlocked, code, errOut)
	require.Empty(t, out)
}
