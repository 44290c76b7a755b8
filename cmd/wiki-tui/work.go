package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/google/uuid"

	"wiki/server/client"
	"wiki/tui"
	"wiki/tui/action"
	"wiki/tui/audit"
	"wiki/tui/drafts"
	"wiki/tui/drift"
	"wiki/tui/health"
	"wiki/tui/later"
	"wiki/tui/outbox"
	"wiki/tui/proposals"
	"wiki/tui/screen"
	"wiki/tui/search"
	"wiki/tui/suppressed"
	"wiki/tui/when"
)

const (
	// keyPrefixLength is how much of a key is shown, and tells outboxes apart.
	keyPrefixLength = 8
	// lastDelivery is how long the way out waits for acts that are under way.
	lastDelivery = 2 * time.Second
)

// work runs the workbench on the terminal.
func work(ctx context.Context, f flags, in io.Reader, out io.Writer) error {
	onScreen := !f.plain && !f.json
	if onScreen && (!term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd())) {
		return errors.New("this is no terminal; start wiki-tui in one, or with --plain or --json")
	}
	way, err := wayOf(f, in, out)
	if err != nil {
		return err
	}
	defer way.close()
	file, table, err := readConfig(f.config)
	if err != nil {
		return err
	}
	conn, err := connect(f, file, os.Getenv, serverHomes(os.Getenv))
	if err != nil {
		return err
	}
	dir, err := stateDir(os.Getenv)
	if err != nil {
		return err
	}
	cfg := tui.Config{Server: conn.server, Keys: table, Theme: strings.TrimPrefix(file.Theme, "auto"), Now: time.Now, NewKey: newKey}
	if cfg.Missing = conn.missing(); cfg.Missing != nil {
		return show(ctx, cfg, way, nil, tui.NoActs{})
	}
	c, err := client.New(conn.server, conn.key)
	if err != nil {
		return err
	}
	cfg.Remote = tui.FromClient(c)
	cfg.Screens = screens(c)
	prefix := conn.key[:min(keyPrefixLength, len(conn.key))]
	path := outbox.PathFor(dir, conn.server, prefix)
	box, err := outbox.Open(outbox.Config{Path: path, Deliver: tui.Deliver(c)})
	if err != nil {
		return err
	}
	store, err := later.Open(strings.TrimSuffix(path, filepath.Ext(path))+".later.json", time.Now())
	if err != nil {
		cfg.Notes = append(cfg.Notes, err.Error())
	}
	cfg.Later = store
	cfg.Notes = append(cfg.Notes, leftovers(box, path)...)
	return errors.Join(show(ctx, cfg, way, box, box), box.Close())
}

// screens are those beside Conflicts and Pair.
func screens(c *client.Client) map[action.ID]func(*screen.Env) screen.Screen {
	return map[action.ID]func(*screen.Env) screen.Screen{
		action.ScreenSearch:     func(env *screen.Env) screen.Screen { return search.New(env, c) },
		action.ScreenDrafts:     func(env *screen.Env) screen.Screen { return drafts.New(env, c) },
		action.ScreenDrift:      func(env *screen.Env) screen.Screen { return drift.New(env, c) },
		action.ScreenSuppressed: func(env *screen.Env) screen.Screen { return suppressed.New(env, c) },
		action.ScreenProposals:  func(env *screen.Env) screen.Screen { return proposals.New(env, c) },
		action.ScreenHealth:     func(env *screen.Env) screen.Screen { return health.New(env, c) },
		action.ScreenAudit:      func(env *screen.Env) screen.Screen { return audit.New(env, c) },
	}
}

func newKey() string {
	if id, err := uuid.NewV7(); err == nil {
		return id.String()
	}
	return uuid.NewString()
}

// leftovers tells what the last session left.
func leftovers(box *outbox.Box, path string) []string {
	var notes []string
	if n := len(box.Pending()); n > 0 {
		notes = append(notes, when.Count(n, "act of the last session is", "acts of the last session are")+" being sent now")
	}
	if n := box.Damaged(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s of the outbox could not be read; see %s.damaged", when.Count(n, "line", "lines"), path))
	}
	return notes
}

// show runs the workbench until it is left, then saves and sends what can be sent in a moment, and prints the summary.
func show(ctx context.Context, cfg tui.Config, way *way, box *outbox.Box, acts tui.Acts) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cfg.Acts = acts
	if cfg.Later == nil {
		cfg.Later = &later.Store{}
	}
	var sending sync.WaitGroup
	boxCtx, stopBox := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBox()
	if box != nil {
		sending.Go(func() { box.Run(boxCtx) })
	}
	model := tui.New(ctx, cfg)
	err := way.run(ctx, model)
	leaving, done := context.WithTimeout(context.WithoutCancel(ctx), lastDelivery)
	defer done()
	model.Leave(leaving)
	if box != nil {
		box.Kick()
		box.Settled(leaving)
	}
	stopBox()
	sending.Wait()
	return errors.Join(err, way.summary(model.Session(), len(acts.Pending())))
}
