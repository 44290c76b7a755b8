package main

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/access"
)

// shownTenant is a tenant as --json prints it.
type shownTenant struct {
	ID          uuid.UUID  `json:"id"`
	Slug        string     `json:"slug"`
	Name        string     `json:"name"`
	SuspendedAt *time.Time `json:"suspended_at,omitempty"`
	InsertedAt  time.Time  `json:"inserted_at"`
	Lone        bool       `json:"lone_operator"`
	Blind       bool       `json:"blind_review"`
}

func showTenant(t access.Tenant) shownTenant {
	return shownTenant{t.ID, t.Slug, t.Name, t.SuspendedAt, t.InsertedAt, t.LoneOperator, t.BlindReview}
}

func (a *app) tenantCommand() *cobra.Command {
	cmd := group("tenant", "Make and list tenants")
	var name string
	create := &cobra.Command{
		Use: "create SLUG", Short: "Make a tenant", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" {
				name = args[0]
			}
			return a.withCore(cmd.Context(), func(ctx context.Context, c *core.Core) error {
				t, err := c.Access.CreateTenant(ctx, access.Operator(uuid.Nil), access.NewTenant{Slug: args[0], Name: name})
				if err != nil {
					return err
				}
				if a.json {
					return a.answer(showTenant(t))
				}
				a.say("made the tenant %s (%s); give it a key with: wiki-server key create --tenant %s NAME", t.Slug, t.ID, t.Slug)
				return nil
			})
		},
	}
	create.Flags().StringVar(&name, "name", "", "the tenant's name for people; default the slug")
	list := &cobra.Command{
		Use: "list", Short: "List the tenants", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withCore(cmd.Context(), a.listTenants)
		},
	}
	cmd.AddCommand(create, list, a.suspendCommand("suspend", true), a.suspendCommand("resume", false), a.loneOperatorCommand(), a.blindReviewCommand())
	return cmd
}

func (a *app) listTenants(ctx context.Context, c *core.Core) error {
	tenants, err := c.Access.Tenants(ctx, access.Operator(uuid.Nil))
	if err != nil {
		return err
	}
	return printList(a, tenants, showTenant, func(t access.Tenant) []string {
		state := "open"
		if t.SuspendedAt != nil {
			state = "suspended"
		}
		if t.LoneOperator {
			state += ", lone operator"
		}
		if t.BlindReview {
			state += ", blind review"
		}
		return []string{t.Slug, t.Name, t.ID.String(), state}
	})
}

func (a *app) suspendCommand(verb string, suspended bool) *cobra.Command {
	short := "Shut a tenant's keys out; nothing is deleted"
	if !suspended {
		short = "Let a suspended tenant's keys in again"
	}
	return &cobra.Command{
		Use: verb + " SLUG", Short: short, Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onTenant(cmd.Context(), args[0], func(ctx context.Context, c *core.Core, t access.Tenant) error {
				return c.Access.SuspendTenant(ctx, access.Operator(uuid.Nil), t.ID, suspended)
			})
		},
	}
}

func (a *app) loneOperatorCommand() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "lone-operator SLUG", Short: "Let the one person of a tenant approve bulk proposals of its own keys", Args: exactArgs(1),
		Long: "A bulk proposal is approved by another person than its minter. A tenant with one person has no other: lone-operator lets that person approve\n" +
			"what its own keys and their dispatches minted. Dispatches never get the exception, and each use of it is in the audit. --off ends it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onTenant(cmd.Context(), args[0], func(ctx context.Context, c *core.Core, t access.Tenant) error {
				return c.Access.SetLoneOperator(ctx, access.Operator(uuid.Nil), t.ID, !off)
			})
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "the tenant has more than one person again")
	return cmd
}

func (a *app) blindReviewCommand() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "blind-review SLUG", Short: "Keep a tenant's curators from what others said of a pair until they have judged it", Args: exactArgs(1),
		Long: "With blind-review a second reader of a conflict sees no verdict of another's that was not carried out, until having given one. That a pair is\n" +
			"judged stays visible, and the audit has everything. --off ends it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onTenant(cmd.Context(), args[0], func(ctx context.Context, c *core.Core, t access.Tenant) error {
				return c.Access.SetBlindReview(ctx, access.Operator(uuid.Nil), t.ID, !off)
			})
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "verdicts are shown to all who judge")
	return cmd
}
