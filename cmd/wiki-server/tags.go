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
)

func (a *app) tagsCommand() *cobra.Command {
	var tenant string
	var o core.TagOptions
	cmd := group("tags", "Repair tags")
	reserve := &cobra.Command{
		Use: "reserve", Short: "Give old capture tags their reserved form, idem-<family>-<digest>", Args: noArgs,
		Long: "Articles that were captured before the idem- namespace was reserved carry a bare <family>-<digest>. This adds the\n" +
			"reserved form beside it. It only says what it would do, unless --apply is given; it can be stopped and run again.\n" +
			"--drop-legacy is the second pass, for when every client reads the reserved form: it takes the bare tags away that\n" +
			"have one. Each change is a version of the article, and audited.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withCore(cmd.Context(), func(ctx context.Context, c *core.Core) error { return a.reserveTags(ctx, c, tenant, o) })
		},
	}
	reserve.Flags().StringVar(&tenant, "tenant", defaultTenant, "slug of the tenant")
	reserve.Flags().BoolVar(&o.Apply, "apply", false, "change the tags, instead of only saying what would change")
	reserve.Flags().BoolVar(&o.Drop, "drop-legacy", false, "take away the bare tags that have a reserved form")
	cmd.AddCommand(reserve)
	return cmd
}

func (a *app) reserveTags(ctx context.Context, c *core.Core, tenant string, o core.TagOptions) error {
	t, err := c.Access.TenantBySlug(ctx, access.Operator(uuid.Nil), tenant)
	if err != nil {
		return noTenant(err, tenant)
	}
	p := a.newProgress("Reserving tags of " + tenant)
	r, err := c.ReserveTags(ctx, access.Operator(t.ID), o, func(done, total int) { p.show(ingest.Progress{Done: done, Total: total}) })
	if a.json {
		return errors.Join(err, a.answer(r))
	}
	p.done(reservedInWords(r, err))
	for _, f := range r.Failed {
		a.say("%s failed: %s", f.Article, oneLine(f.Why))
	}
	for _, id := range r.Full {
		a.say("%s has no room for another tag", id)
	}
	return err
}

func reservedInWords(r core.TagReport, err error) string {
	done := "reserved"
	if r.Drop {
		done = "dropped"
	}
	text := fmt.Sprintf("%d tags of %d articles %s in %s", r.Tags, r.Articles, done, r.Elapsed.Round(time.Millisecond))
	if r.DryRun {
		text = fmt.Sprintf("%d tags of %d articles would be %s; --apply does it", r.Tags, r.Articles, done)
	}
	if err != nil {
		text += "; stopped, the same command goes on where it was"
	}
	return text
}
