// Command wiki-tui is the curation workbench: a terminal in which conflicts are judged, and the wiki is searched and read.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"wiki/core/wiki"
	"wiki/tui/action"
	"wiki/tui/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its surroundings as arguments; it gives the exit code. With --json an error is a line of the output, as
// everything else that a script reads.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	cmd := command()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	e := &wiki.Error{Code: wiki.CodeInternal}
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &e):
		e.Message = err.Error()
	case e.Err != nil:
		e.Message += ": " + e.Err.Error()
	}
	if slices.Contains(args, "--json") {
		_ = json.NewEncoder(out).Encode(map[string]any{"error": e.Message, "code": e.Code}) // where it cannot be written, nobody reads
	} else {
		fmt.Fprintln(errOut, "wiki-tui:", e.Message)
	}
	return 1
}

// flags are the command line's settings. What is empty is taken from the environment, the config file, and the state that
// a server on this machine leaves.
type flags struct {
	server, keyFile, config string

	plain, json    bool
	record, replay string
}

func command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "wiki-tui",
		Short: "Judge conflicts, search and read the wiki in the terminal",
		Long: "wiki-tui is the curation workbench of the wiki.\n\n" +
			"The server's address is taken from --server, WIKI_URL, the config file, or a server that runs on this machine.\n" +
			"The key is taken from --key-file, WIKI_KEY, the config file, or the key that `wiki-server setup` made on this machine.\n" +
			"The config file is $XDG_CONFIG_HOME/wiki/tui.yaml: server, key_file, theme (auto, dark, light) and keys.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd.Context(), f, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return wiki.Invalid("", "%s", err) })
	cmd.PersistentFlags().StringVar(&f.config, "config", "", "config file (default $XDG_CONFIG_HOME/wiki/tui.yaml)")
	cmd.Flags().StringVar(&f.server, "server", "", "address of the server, such as http://127.0.0.1:7171")
	cmd.Flags().StringVar(&f.keyFile, "key-file", "", "file that holds the key")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "no screen: a line in, lines out, for screen readers (? lists what can be done)")
	cmd.Flags().BoolVar(&f.json, "json", false, `no screen: a JSON object a line, for scripts: {"do": "judge.merge"} or {"text": "what is typed"} in, the situation out`)
	cmd.Flags().StringVar(&f.record, "record", "", "keep what is typed in a new file")
	cmd.Flags().StringVar(&f.replay, "replay", "", "type what was recorded in a file, at the same pace; what was done then is done again")
	cmd.MarkFlagsMutuallyExclusive("plain", "json")
	for _, lines := range []string{"plain", "json"} {
		cmd.MarkFlagsMutuallyExclusive(lines, "replay")
		cmd.MarkFlagsMutuallyExclusive(lines, "record")
	}
	cmd.AddCommand(keysCommand(&f))
	return cmd
}

// keysCommand prints the keys in force.
func keysCommand(f *flags) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use: "keys", Short: "Print every action with its keys", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if markdown { // the document is of the keys as shipped
				_, err := io.WriteString(cmd.OutOrStdout(), action.Default().Markdown())
				return err
			}
			_, table, err := readConfig(f.config)
			if err != nil {
				return err
			}
			return printKeys(cmd.OutOrStdout(), table)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write tui/keys.md: the keys as shipped")
	return cmd
}

func printKeys(w io.Writer, t action.Table) error {
	for _, a := range t.All() {
		keys := ""
		for _, k := range a.Keys {
			keys += k + " "
		}
		if _, err := fmt.Fprintf(w, "%-24s %-22s %s\n", a.ID, keys, a.Help); err != nil {
			return err
		}
	}
	return nil
}

// readConfig reads the config file and binds its keys.
func readConfig(path string) (config.File, action.Table, error) {
	named := path != ""
	if !named {
		var err error
		if path, err = config.Path(); err != nil {
			return config.File{}, action.Default(), nil //nolint:nilerr // without a home there is no config file, which is no fault
		}
	} else if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return config.File{}, action.Table{}, wiki.Invalid("config", "there is no config file %s", path)
	}
	file, err := config.Read(path)
	if err != nil {
		return file, action.Table{}, err
	}
	table, err := action.Default().Rebind(file.Keys)
	if err != nil {
		return file, action.Table{}, fmt.Errorf("%s, %w", path, err)
	}
	return file, table, nil
}
