package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// group is a command that only holds others.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: oneOfThese, RunE: help}
}

// help shows what a group holds. A script has no use for that text, and meant a command of the group.
func help(cmd *cobra.Command, _ []string) error {
	if json, err := cmd.Flags().GetBool("json"); err == nil && json {
		return usageError{fmt.Errorf("%s wants one of its commands", cmd.CommandPath())}
	}
	return cmd.Help()
}

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
