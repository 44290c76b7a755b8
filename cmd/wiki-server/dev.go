package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/wiki"
	"wiki/server/client"
)

// devLog is where the log goes while the terminal shows the workbench.
const devLog = "server.log"

func (a *app) devCommand() *cobra.Command {
	var content string
	cmd := &cobra.Command{
		Use: "dev", Short: "Set up, load content, serve, and open the terminal workbench: all in one", Args: noArgs,
		Long: "dev is the shortest way into a wiki. On its first run it makes the database, a tenant and keys, and loads content: a\n" +
			"demo, or a folder of markdown or a bundle given with --content. It then opens wiki-tui; leaving that stops everything.\n" +
			"A second run finds all of it as it was. Where a server runs already on the same state directory, it opens wiki-tui on that.\n" +
			"Without a terminal it says where the server and the keys are, and serves until it is stopped.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dev(cmd.Context(), content) },
	}
	cmd.Flags().StringVar(&content, "content", os.Getenv("CONTENT"), "folder of markdown, or OKF bundle, to load instead of the demo (CONTENT)")
	return cmd
}

// dev runs the whole. The server runs in this process, the workbench as a child that has the terminal; whichever ends
// first ends the other.
func (a *app) dev(ctx context.Context, content string) error {
	interactive := term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
	if content != "" {
		var err error
		if content, err = checkContent(content); err != nil {
			return err
		}
	}
	if r, ok := findRunning(ctx, a.settings.StateDir); ok {
		a.say("A server runs already at %s (process %d).", r.URL, r.PID)
		return a.visit(ctx, r, content, interactive)
	}
	if interactive {
		f, err := a.openDevLog()
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
	}
	a.say("Starting the wiki in %s ...", a.settings.StateDir)
	begun := time.Now()
	return a.serve(ctx, func(ctx context.Context, r running, c *core.Core) error {
		a.say("Serving at %s after %s.", r.URL, time.Since(begun).Round(100*time.Millisecond))
		operator, err := a.setUp(ctx, c)
		if err != nil {
			return err
		}
		if err := a.loadContent(ctx, c, operator, content); err != nil {
			return err
		}
		if !interactive {
			return a.nextSteps(r)
		}
		if err := a.openWorkbench(ctx, r); err != nil {
			return err
		}
		return errDone
	})
}

// visit opens the workbench on a server that another process runs; that server stays when the workbench is left.
func (a *app) visit(ctx context.Context, r running, content string, interactive bool) error {
	key, err := a.readKey(curatorKey)
	if err != nil {
		return err
	}
	if key == "" {
		e := wiki.Errorf(wiki.CodeKeyMissing, "no key was made here: there is no file %s", a.keyFile(curatorKey))
		e.Remedy = "make it with: wiki-server setup --state-dir " + a.settings.StateDir
		return e
	}
	c, err := client.New(r.URL, key)
	if err == nil {
		_, err = c.Whoami(ctx)
	}
	if err != nil {
		return fmt.Errorf("the key in %s does not open it: %w", a.keyFile(curatorKey), err)
	}
	if content != "" {
		a.say("It keeps the content it has; to add to it: wiki-server import --publish %s", content)
	}
	if !interactive {
		return a.nextSteps(r)
	}
	return a.openWorkbench(ctx, r)
}

// openDevLog moves the log off the terminal, which belongs to the workbench.
func (a *app) openDevLog() (*os.File, error) {
	if err := a.makeStateDir(); err != nil {
		return nil, err
	}
	path := filepath.Join(a.settings.StateDir, devLog)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, blocked(err, "give this user the right to write there, or set --state-dir", "cannot write the log %s", path)
	}
	return f, a.setLog(f)
}

// nextSteps tells a newcomer without a terminal how to go on.
func (a *app) nextSteps(r running) error {
	if a.json {
		return a.answerNow(map[string]string{"url": r.URL, "user_key_file": a.keyFile(curatorKey), "agent_key_file": a.keyFile(assistantKey)})
	}
	a.say(`
The wiki answers at %[1]s. This is no terminal, so the workbench stays closed.

  as a person   key in %[2]s
  as an agent   key in %[3]s

Search it:
  curl -H "Authorization: Bearer $(cat %[3]s)" "%[1]s/api/v1/knowledge/search?q=backup"
See what waits to be judged:
  curl -H "Authorization: Bearer $(cat %[2]s)" "%[1]s/api/v1/knowledge/conflicts"
Open the workbench from a terminal:
  wiki-server dev --state-dir %[4]s

Stop it with Ctrl-C, or by SIGTERM to process %[5]d.`, r.URL, a.keyFile(curatorKey), a.keyFile(assistantKey), a.settings.StateDir, r.PID)
	return nil
}
