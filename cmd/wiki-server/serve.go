package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/nightly"
	"wiki/core/wiki"
	"wiki/server"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Run the server until it is stopped", Args: noArgs,
		Long: "serve migrates the database, starts the private PostgreSQL when there is no DATABASE_URL, and answers until it gets SIGTERM or SIGINT.\n" +
			"It then takes no new requests, lets those in flight end, and stops its PostgreSQL.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serve(cmd.Context(), func(_ context.Context, r running, _ *core.Core) error {
				a.log.Info("serving", "url", r.URL, "internal_url", r.InternalURL, "version", version)
				return nil
			})
		},
	}
}

// serve runs the whole server until ctx ends or its database does. ready is called once it answers; an error from it, or
// errDone, stops the server.
func (a *app) serve(ctx context.Context, ready func(context.Context, running, *core.Core) error) error {
	l, err := a.listen()
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	internal, err := a.listenInternal()
	if err != nil {
		return err
	}
	if internal != nil {
		defer func() { _ = internal.Close() }()
	}
	db, err := a.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer db.stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-db.ended:
			cancel(blocked(nil, "look at "+db.log+", then start again", "the private PostgreSQL ended by itself"))
		case <-ctx.Done():
		}
	}()
	c, err := a.openCore(ctx, db.dsn)
	if err != nil {
		return err
	}
	defer c.Close()
	stopUpkeep := c.Maintain(a.log)
	defer stopUpkeep()
	if a.settings.NightlyHour >= 0 {
		stopNightly, err := c.Nightly.Work(ctx, nightly.WorkerSettings{Tenants: a.settings.NightlyTenants})
		if err != nil {
			return err
		}
		defer stopNightly()
	}
	r := running{PID: os.Getpid(), URL: "http://" + reachable(l.Addr()), DSN: db.dsn}
	if internal != nil {
		r.InternalURL = "http://" + reachable(internal.Addr())
	}
	forget, err := r.record(a.settings.StateDir)
	if err != nil {
		return blocked(err, "give the user that runs the server the right to write there", "cannot write to %s", a.settings.StateDir)
	}
	defer forget()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := ready(ctx, r, c); err != nil {
			cancel(err)
		}
	}()
	srv := server.New(c, a.serverSettings())
	watched := a.serveInternal(srv, internal)
	err = srv.Serve(ctx, l)
	watched()
	cancel(err)
	<-finished // it uses the core, and the terminal
	return stopCause(ctx)
}

// errDone is what ready returns to stop the server without a failure.
var errDone = errors.New("done")

// stopCause is why a context ended, when that is a failure: a signal is none.
func stopCause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errDone) {
		return err
	}
	return nil
}

func (a *app) serverSettings() server.Settings {
	s := a.settings
	return server.Settings{
		Version: version, RequestTimeout: s.RequestTimeout, DrainTimeout: s.DrainTimeout,
		RatePerKey: s.RatePerKey, RateTenantKeys: s.RateTenantKeys, Log: a.log,
	}
}

// listen takes the address before anything slow is begun.
func (a *app) listen() (net.Listener, error) {
	return a.take("listen", a.settings.Listen, defaultListen)
}

// take listens on an address that a setting names.
func (a *app) take(setting, address, example string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var wrong *net.AddrError
	var name *net.DNSError
	switch {
	case err == nil:
		return l, nil
	case errors.As(err, &wrong), errors.As(err, &name):
		return nil, wiki.Invalid(setting, "%s must be an address and a port such as %s, not %q", setting, example, address)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, blocked(nil, "stop what listens there, or choose another address with --"+setting, "the address %s is in use%s", address, a.holder())
	case errors.Is(err, syscall.EACCES):
		return nil, blocked(nil, "choose a port above 1023 with --"+setting, "this user may not listen on %s", address)
	default:
		return nil, blocked(err, "choose another address with --"+setting, "cannot listen on %s", address)
	}
}

// holder says who has the address, when it is a wiki-server of the same state directory.
func (a *app) holder() string {
	r, ok := findRunning(context.Background(), a.settings.StateDir)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" by the wiki-server that runs already (process %d)", r.PID)
}

// reachable is an address that a client on this machine can use: a wildcard is none.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}
