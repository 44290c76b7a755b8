package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// group is a command that only holds others.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: oneOfThese, RunE: help}
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// oneOfThese refuses what is no command of the group.
func oneOfThese(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s has no command %q", cmd.CommandPath(), args[0])}
	}
	return nil
}

func noArgs(cmd *cobra.Command, args []string) error { return exactArgs(0)(cmd, args) }

// exactArgs is cobra.ExactArgs with an error that counts as wrong usage and shows the right one.
func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%d arguments where %d are wanted: %s", len(args), n, cmd.UseLine())}
		}
		return nil
	}
}
