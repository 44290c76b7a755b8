package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/ingest"
	"wiki/core/nightly"
	"wiki/core/wiki"
)

func (a *app) nightlyCommand() *cobra.Command {
	var tenant string
	var dryRun bool
	cmd := &cobra.Command{
		Use: "nightly", Short: "Run a tenant's nightly pass now, or take it up where it was cut", Args: oneOfThese,
		Long: "The pass keeps a tenant in order: each of its consumers has a budget, and says what it did and what stopped it. It can be\n" +
			"stopped at any moment; the same command then goes on where it was. --dry-run changes nothing and says what would be done.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onTenant(cmd.Context(), tenant, func(ctx context.Context, c *core.Core, t access.Tenant) error {
				return a.nightly(ctx, c, t, dryRun)
			})
		},
	}
	cmd.PersistentFlags().StringVar(&tenant, "tenant", defaultTenant, "slug of the tenant")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be done, and change nothing")
	var reason string
	pause := &cobra.Command{
		Use: "pause CONSUMER", Short: "Switch a consumer off for a tenant", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onTenant(cmd.Context(), tenant, func(ctx context.Context, c *core.Core, t access.Tenant) error {
				if err := c.Nightly.Pause(ctx, access.Operator(t.ID), args[0], reason); err != nil {
					return err
				}
				return a.listSwitches(ctx, c, t)
			})
		},
	}
	pause.Flags().StringVar(&reason, "reason", "", "why; it is shown beside the switch")
	resume := &cobra.Command{
		Use: "resume CONSUMER", Short: "Switch a consumer on again", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onTenant(cmd.Context(), tenant, func(ctx context.Context, c *core.Core, t access.Tenant) error {
				if err := c.Nightly.Resume(ctx, access.Operator(t.ID), args[0]); err != nil {
					return err
				}
				return a.listSwitches(ctx, c, t)
			})
		},
	}
	cmd.AddCommand(pause, resume)
	return cmd
}

// onTenant runs a command's work on one tenant, named by its slug.
func (a *app) onTenant(ctx context.Context, slug string, work func(context.Context, *core.Core, access.Tenant) error) error {
	return a.withCore(ctx, func(ctx context.Context, c *core.Core) error {
		t, err := c.Access.TenantBySlug(ctx, access.Operator(uuid.Nil), slug)
		if err != nil {
			return noTenant(err, slug)
		}
		return work(ctx, c, t)
	})
}

func (a *app) nightly(ctx context.Context, c *core.Core, t access.Tenant, dryRun bool) error {
	var p *progress
	at := ""
	show := func(now nightly.Progress) {
		if now.Consumer != at {
			at, p = now.Consumer, a.newProgress(now.Consumer)
		}
		p.show(ingest.Progress{Done: now.Done, Total: now.Total, Rate: now.Rate, Remaining: now.Remaining})
	}
	r, err := c.Nightly.Run(ctx, t.ID, nightly.Options{By: access.Operator(t.ID), DryRun: dryRun, Progress: show})
	if a.json {
		return errors.Join(err, a.answer(r))
	}
	a.listSteps(r)
	if err == nil && r.FinishedAt == nil && !dryRun {
		a.say("stopped; the same command goes on where it was")
	}
	return err
}

func (a *app) listSteps(r nightly.Report) {
	if r.DryRun {
		a.say("A dry run: nothing was changed. Tonight's pass would do this:")
	}
	for _, step := range r.Steps {
		a.say("%-12s %s", step.Consumer, stepInWords(step, r.DryRun))
		for _, item := range step.Items {
			a.say("%-12s   %s %s%s", "", item.Outcome, item.Subject, after(": ", oneLine(item.Note)))
		}
	}
}

func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// gateInWords says what ended each consumer, as a person reads it.
var gateInWords = map[wiki.Gate]string{
	wiki.GateNotReached: "was not finished", wiki.GateOpen: "came to its end", wiki.GatePaused: "is paused", wiki.GateCount: "did as much as one night allows",
	wiki.GateTime: "ran out of time", wiki.GateStopped: "was stopped", wiki.GateBroken: "broke; the log says why", wiki.GateNotDue: "is not due tonight",
}

func stepInWords(step nightly.Step, dryRun bool) string {
	applied := "applied"
	if dryRun {
		applied = "to apply"
	}
	return fmt.Sprintf("%d offered, %d %s, %d refused, %d withheld, %d failed, in %s; %s", step.Offered, step.Applied, applied,
		step.Refused, step.Withheld, step.Failed, step.Spent.Round(time.Millisecond), gateInWords[step.Gate])
}

func (a *app) listSwitches(ctx context.Context, c *core.Core, t access.Tenant) error {
	list, err := c.Nightly.Switches(ctx, access.Operator(t.ID))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.say("every consumer is on")
	}
	return printList(a, list, func(s nightly.Switch) nightly.Switch { return s }, func(s nightly.Switch) []string {
		return []string{s.Consumer, "paused " + s.At.Format(time.DateTime), "by " + s.By, oneLine(s.Reason)}
	})
}
