package main

import (
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wiki/server/api"
)

// shownField is a setting as `config --json` prints it.
type shownField struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Source      string `json:"source"`
	Environment string `json:"environment"`
	Doc         string `json:"doc"`
}

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print the settings that are in force, and where each comes from", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				list := make([]shownField, len(a.fields))
				for i, f := range a.fields {
					list[i] = shownField{f.name, f.shown(), f.source, f.env, f.doc}
				}
				return a.writeJSON(list)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, f := range a.fields {
				value := f.shown()
				if value == "" {
					value = "-"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.name, value, f.source, f.doc)
			}
			return w.Flush()
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.writeJSON(map[string]string{"version": version, "api": api.Version, "go": runtime.Version()})
			}
			a.say("wiki-server %s, API %s, %s", version, api.Version, runtime.Version())
			return nil
		},
	}
}
