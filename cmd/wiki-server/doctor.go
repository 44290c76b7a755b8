package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/server"
)

// finding is what doctor says of one thing.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"` // the command or change that mends it
}

// examined is what --json prints of them.
type examined struct {
	Findings []finding `json:"findings"`
}

const (
	// checkTimeout bounds one check.
	checkTimeout = 10 * time.Second
	// minFreeBytes is what a database needs in order to go on for a while.
	minFreeBytes = 1 << 30
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say what is wrong here, and the command that mends it", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd.Context())
			ill := 0
			for _, f := range findings {
				if !f.OK {
					ill++
				}
				a.printFinding(f)
			}
			if a.json {
				if err := a.answer(examined{findings}); err != nil {
					return err
				}
			}
			if ill > 0 {
				return blocked(nil, "do what stands beside each", "%d of %d checks found something", ill, len(findings))
			}
			a.say("Nothing is wrong.")
			return nil
		},
	}
}

func (a *app) printFinding(f finding) {
	mark := "ok  "
	if !f.OK {
		mark = "BAD "
	}
	a.say("%s %-10s %s", mark, f.Check, f.Detail)
	if !f.OK && f.Remedy != "" {
		a.say("                mend it: %s", f.Remedy)
	}
}

// examine runs every check; one that fails does not stop the rest.
func (a *app) examine(ctx context.Context) []finding {
	r, up := findRunning(ctx, a.settings.StateDir)
	checks := []func(context.Context) finding{
		a.checkStateDir, a.checkDisk,
		func(ctx context.Context) finding { return a.checkDatabase(ctx, r, up) },
		func(context.Context) finding { return a.checkAddress(r, up) },
		func(context.Context) finding { return a.checkInternal(r, up) },
		a.checkEmbeddings, a.checkLanguageModel,
	}
	var out []finding
	for _, check := range checks {
		bounded, cancel := context.WithTimeout(ctx, checkTimeout)
		out = append(out, check(bounded))
		cancel()
	}
	return out
}

func good(check, format string, args ...any) finding {
	return finding{Check: check, OK: true, Detail: fmt.Sprintf(format, args...)}
}

// bad takes the remedy of a coded error, else the one given.
func bad(check string, err error, remedy string) finding {
	f := finding{Check: check, Detail: err.Error(), Remedy: remedy}
	var e *wiki.Error
	if errors.As(err, &e) {
		f.Detail = e.Message
		if e.Err != nil {
			f.Detail += " (" + e.Err.Error() + ")"
		}
		if e.Remedy != "" {
			f.Remedy = e.Remedy
		}
	}
	return f
}

// makeStateDir makes the state directory; the error is coded.
func (a *app) makeStateDir() error {
	if err := os.MkdirAll(a.settings.StateDir, 0o755); err != nil {
		return blocked(err, "give this user the right to make it, or set --state-dir", "cannot make the state directory %s", a.settings.StateDir)
	}
	return nil
}

func (a *app) checkStateDir(context.Context) finding {
	const check = "state"
	if err := a.makeStateDir(); err != nil {
		return bad(check, err, "")
	}
	probe, err := os.CreateTemp(a.settings.StateDir, "doctor-*")
	if err != nil {
		return bad(check, err, "sudo chown -R "+fmt.Sprint(os.Getuid())+" "+a.settings.StateDir)
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return good(check, "%s can be written", a.settings.StateDir)
}

func (a *app) checkDisk(context.Context) finding {
	const check = "disk"
	var fs unix.Statfs_t
	dir := a.settings.StateDir
	for ; ; dir = filepath.Dir(dir) {
		err := unix.Statfs(dir, &fs)
		if err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return bad(check, err, "set --state-dir to a directory that exists")
		}
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if free < minFreeBytes {
		return bad(check, fmt.Errorf("only %d MiB are free under %s", free>>20, dir), "free some space, or move the state with --state-dir")
	}
	return good(check, "%d GiB are free under %s", free>>30, dir)
}

// checkDatabase looks at the database that a server would use, without changing it.
func (a *app) checkDatabase(ctx context.Context, r running, up bool) finding {
	const check = "database"
	dsn := a.settings.DatabaseURL
	switch {
	case dsn == "" && up:
		dsn = r.DSN
	case dsn == "":
		return a.checkPrograms()
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn, MaxConns: 1, HeavyMaxConns: 1})
	if err != nil {
		return bad(check, err, "check that it runs and that DATABASE_URL names it")
	}
	defer db.Close()
	if err := db.Ping(ctx); err != nil {
		return bad(check, err, "check that it runs and that DATABASE_URL names it")
	}
	current, newest, err := db.Version(ctx)
	switch {
	case err != nil:
		return bad(check, err, "wiki-server migrate")
	case current < newest:
		return bad(check, fmt.Errorf("its schema is at version %d of %d", current, newest), "wiki-server migrate")
	case current > newest:
		return bad(check, fmt.Errorf("its schema is at version %d, and this wiki-server knows %d", current, newest), "use the newer wiki-server that migrated it")
	}
	return good(check, "it answers, schema version %d", current)
}

func (a *app) checkAddress(r running, up bool) finding {
	const check = "address"
	if up {
		return good(check, "wiki-server runs at %s (process %d)", r.URL, r.PID)
	}
	l, err := a.listen()
	if err != nil {
		return bad(check, err, "")
	}
	_ = l.Close()
	if open(a.settings.Listen) {
		return good(check, "%s is free, and open to the network: put TLS in front of it", a.settings.Listen)
	}
	return good(check, "%s is free", a.settings.Listen)
}

func (a *app) checkInternal(r running, up bool) finding {
	const check = "metrics"
	switch {
	case up && r.InternalURL != "":
		return good(check, "are at %s%s", r.InternalURL, server.MetricsPath)
	case up || a.settings.Internal == internalOff:
		return good(check, "are off")
	}
	l, err := a.listenInternal()
	switch {
	case err != nil:
		return bad(check, err, "")
	case l == nil:
		return good(check, "%s is in use: the server would run without", a.settings.Internal)
	}
	_ = l.Close()
	if open(a.settings.Internal) {
		return good(check, "%s is free, and open to the network: no key is asked for there", a.settings.Internal)
	}
	return good(check, "%s is free", a.settings.Internal)
}

// open says whether an address is reachable from other machines, as far as it tells.
func open(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || ip != nil && !ip.IsLoopback())
}

func (a *app) checkEmbeddings(ctx context.Context) finding {
	const check = "embeddings"
	e, err := a.embedder()
	if err != nil {
		return bad(check, err, "")
	}
	begun := time.Now()
	if _, err := embedding.Guard(e, embedding.GuardConfig{}).EmbedQuery(ctx, "Does the model answer?"); err != nil {
		return bad(check, err, "correct embeddings-url, embeddings-model and embeddings-key; without them the built-in model is used")
	}
	m := e.Model()
	return good(check, "%s answers in %s, %d dimensions", m.ID, time.Since(begun).Round(time.Millisecond), m.Dims)
}
