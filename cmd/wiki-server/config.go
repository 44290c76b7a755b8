package main

import (
	"cmp"
	"runtime"

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

func showField(f *field) shownField { return shownField{f.name, f.shown(), f.source, f.env, f.doc} }

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print the settings that are in force, and where each comes from", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return printList(a, a.fields, showField, func(f *field) []string {
				return []string{f.name, cmp.Or(f.shown(), "-"), f.source, f.doc}
			})
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.answer(map[string]string{"version": version, "api": api.Version, "go": runtime.Version()})
			}
			a.say("wiki-server %s, API %s, %s", version, api.Version, runtime.Version())
			return nil
		},
	}
}
