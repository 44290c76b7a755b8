package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"wiki/core/wiki"
	"wiki/server/client"
	"wiki/server/mcp"
)

// Where the mcp command looks for a server and a key besides its flags.
const (
	envURL = "WIKI_URL"
	envKey = "WIKI_KEY"
)

func (a *app) mcpCommand() *cobra.Command {
	var server, keyFile string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Offer a wiki's tools to an agent over standard input and output", Args: noArgs,
		Long: "mcp speaks the Model Context Protocol on standard input and output, and calls the server with the key.\n" +
			"A client that speaks MCP over HTTP needs no such program: give it the server's address with /mcp, and the key.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = false // standard output is the protocol's
			key, err := agentKey(keyFile)
			if err != nil {
				return err
			}
			return a.offerTools(cmd.Context(), a.serverAddress(cmd.Context(), server), key)
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "the server's address ("+envURL+"); default: the one that runs on this machine")
	cmd.Flags().StringVar(&keyFile, "key-file", "", "file with the agent's key; default: the key in "+envKey)
	return cmd
}

// agentKey reads the key. There is no default: the key that setup made is a person's.
func agentKey(file string) (string, error) {
	key := os.Getenv(envKey)
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", &wiki.Error{Code: wiki.CodeInvalid, Field: "key-file", Message: "the key file cannot be read", Err: err}
		}
		key = string(raw)
	}
	if key = strings.TrimSpace(key); key == "" {
		e := wiki.Invalid("key", "no key is given")
		e.Remedy = "set " + envKey + ", or give --key-file; an operator makes a key with: wiki-server key create NAME --role agent"
		return "", e
	}
	return key, nil
}

func (a *app) serverAddress(ctx context.Context, given string) string {
	if address := cmp.Or(given, os.Getenv(envURL)); address != "" {
		return address
	}
	if r, runs := findRunning(ctx, a.settings.StateDir); runs {
		return r.URL
	}
	return "http://" + a.settings.Listen
}

// offerTools asks the server what the key is, and then serves until the agent's side closes.
func (a *app) offerTools(ctx context.Context, server, key string) error {
	c, err := client.New(server, key)
	if err != nil {
		return err
	}
	who, err := c.Whoami(ctx)
	if err != nil {
		return err
	}
	role, err := wiki.ParseRole(who.Role)
	if err != nil {
		return err
	}
	base, err := url.Parse(c.BaseURL())
	if err != nil {
		return err
	}
	err = mcp.New(mcp.Config{Routes: mcp.Remote(base, key), Role: role, Version: version, Log: a.log}).
		Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: unclosed{a.out}})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unclosed is standard output, which is not the protocol's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
