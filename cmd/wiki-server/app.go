package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wiki/core/wiki"
)

// Exit codes, for scripts.
const (
	exitOK      = 0
	exitFailed  = 1 // the act was refused or went wrong
	exitUsage   = 2 // a flag, argument or setting is wrong
	exitBlocked = 3 // something on the machine is missing or in the way; wiki-server doctor says what
)

// app is what the commands share.
type app struct {
	settings settings
	fields   []*field
	config   string // path of the settings file, empty = the one in the state directory
	json     bool
	ran      bool     // a command of ours ran: not its help, nor the shell's completion
	document document // what --json prints
	in       io.Reader
	out, err io.Writer
	log      *slog.Logger
}

// run is main with its surroundings as arguments; it gives the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{settings: defaultSettings(), in: in, out: out, err: errOut}
	a.fields = fields(&a.settings)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var usage usageError
	if errors.As(err, &usage) && slices.Contains(args, "--json") {
		a.json = true // it may stand behind the flag or argument that is wrong
	}
	if err == nil && a.json && a.ran {
		err = a.conclude(nil)
	}
	if err != nil {
		return a.fail(ctx, err)
	}
	return exitOK
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "wiki-server", Short: "A knowledge wiki for people and agents",
		Long: "wiki-server keeps a knowledge wiki and serves it over HTTP. Without a DATABASE_URL it runs a private PostgreSQL of its own.",
		Args: oneOfThese, RunE: help, SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	bind(root.PersistentFlags(), a.fields)
	root.PersistentFlags().StringVar(&a.config, "config", os.Getenv("WIKI_CONFIG"), "settings file (WIKI_CONFIG); default config.yaml in the state directory")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "answer in one JSON document, for scripts")
	root.AddCommand(a.serveCommand(), a.devCommand(), a.setupCommand(), a.migrateCommand(), a.importCommand(), a.tagsCommand(), a.nightlyCommand(), a.tenantCommand(), a.keyCommand(),
		a.evalCommand(), a.mcpCommand(), a.configCommand(), a.doctorCommand(), a.versionCommand())
	return root
}

// prepare reads the settings before any command runs.
func (a *app) prepare(cmd *cobra.Command) error {
	a.ran = cmd.HasParent() && cmd.Parent().Name() != "completion"
	if err := load(cmd.Flags(), a.fields, a.config, &a.settings); err != nil {
		return err
	}
	return a.setLog(a.err)
}

// setLog sends the log to w.
func (a *app) setLog(w io.Writer) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.settings.LogLevel)); err != nil {
		return wiki.Invalid("log-level", "log-level must be debug, info, warn or error")
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.settings.LogFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(w, options))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(w, options))
	default:
		return wiki.Invalid("log-format", "log-format must be text or json")
	}
	return nil
}

// usageError is a wrong command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// say prints a line for people; scripts that asked for JSON do not get it.
func (a *app) say(format string, args ...any) {
	if !a.json {
		fmt.Fprintf(a.out, format+"\n", args...)
	}
}

// blocked is the error for what the machine lacks or what stands in the way.
func blocked(cause error, remedy, format string, args ...any) error {
	return &wiki.Error{Code: wiki.CodeUnavailable, Message: fmt.Sprintf(format, args...), Remedy: remedy, Err: cause}
}

// printList prints rows: with --json as an array of what show makes of each, else as a table of what cells does.
func printList[T, S any](a *app, rows []T, show func(T) S, cells func(T) []string) error {
	if a.json {
		list := make([]S, len(rows))
		for i, r := range rows {
			list[i] = show(r)
		}
		return a.answer(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(cells(r), "\t"))
	}
	return w.Flush()
}
