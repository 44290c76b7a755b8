package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/wiki"
)

// defaultTenant is the tenant that setup makes.
const defaultTenant = "wiki"

// shownKey is a key as --json prints it.
type shownKey struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Prefix    string     `json:"key_prefix"`
	Role      string     `json:"role"`
	AgentID   string     `json:"agent_id,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
	LastUsed  *time.Time `json:"last_used_at,omitempty"`
	Secret    string     `json:"key,omitempty"`
}

func showKey(k access.Key) shownKey {
	return shownKey{k.ID, k.Name, k.Prefix, k.Role.String(), k.AgentID, k.ExpiresAt, k.RevokedAt, k.LastUsedAt, k.Secret}
}

// keyTask is a key command's work inside a tenant.
type keyTask func(context.Context, *core.Core, wiki.Actor) error

func (a *app) keyCommand() *cobra.Command {
	cmd := group("key", "Make, list, revoke and rotate keys")
	var tenant string
	var system bool
	cmd.PersistentFlags().StringVar(&tenant, "tenant", defaultTenant, "slug of the keys' tenant")
	cmd.PersistentFlags().BoolVar(&system, "system", false, "the keys of no tenant: superadmins, who write what every tenant reads")
	cmd.MarkFlagsMutuallyExclusive("tenant", "system")
	within := func(ctx context.Context, task keyTask) error {
		return a.withCore(ctx, func(ctx context.Context, c *core.Core) error {
			if system {
				return task(ctx, c, access.Operator(uuid.Nil))
			}
			t, err := c.Access.TenantBySlug(ctx, access.Operator(uuid.Nil), tenant)
			if err != nil {
				return noTenant(err, tenant)
			}
			return task(ctx, c, access.Operator(t.ID))
		})
	}
	list := &cobra.Command{
		Use: "list", Short: "List a tenant's keys", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return within(cmd.Context(), a.listKeys) },
	}
	revoke := &cobra.Command{
		Use: "revoke ID", Short: "End a key and all that it minted, at once", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return within(cmd.Context(), func(ctx context.Context, c *core.Core, actor wiki.Actor) error {
				id, err := keyID(args[0])
				if err != nil {
					return err
				}
				return c.Access.RevokeKey(ctx, actor, id)
			})
		},
	}
	cmd.AddCommand(a.createKeyCommand(within), list, revoke, a.rotateKeyCommand(within))
	return cmd
}

func (a *app) createKeyCommand(within func(context.Context, keyTask) error) *cobra.Command {
	var role, agentID string
	var lifetime time.Duration
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a key; it is shown this once", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := wiki.ParseRole(role)
			if err != nil {
				return err
			}
			return within(cmd.Context(), func(ctx context.Context, c *core.Core, actor wiki.Actor) error {
				k, err := c.Access.CreateKey(ctx, actor, access.NewKey{Name: args[0], Role: r, AgentID: agentID, Lifetime: lifetime})
				if err != nil {
					return err
				}
				return a.printSecret(k)
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", "agent", "agent, orchestrator or user; superadmin with --system")
	cmd.Flags().StringVar(&agentID, "agent-id", "", "the name that the key's acts are recorded under; default the key's id")
	cmd.Flags().DurationVar(&lifetime, "expires-in", 0, "how long the key lives, such as 720h; 0 = until it is revoked")
	return cmd
}

func (a *app) rotateKeyCommand(within func(context.Context, keyTask) error) *cobra.Command {
	grace := access.DefaultRotationGrace
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Make a successor of a key; it is shown this once", Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := keyID(args[0])
			if err != nil {
				return err
			}
			return within(cmd.Context(), func(ctx context.Context, c *core.Core, actor wiki.Actor) error {
				k, err := c.Access.RotateKey(ctx, actor, id, &grace)
				if err != nil {
					return err
				}
				return a.printSecret(k)
			})
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", grace, "how long the old key lives on")
	return cmd
}

func keyID(arg string) (uuid.UUID, error) {
	id, err := uuid.Parse(arg)
	if err != nil {
		return uuid.Nil, wiki.Invalid("id", "%q is not a key's id; wiki-server key list shows them", arg)
	}
	return id, nil
}

func (a *app) printSecret(k access.Key) error {
	if a.json {
		return a.answer(showKey(k))
	}
	fmt.Fprintln(a.out, k.Secret)
	fmt.Fprintf(a.err, "key %s (%s, role %s); it is not shown again\n", k.ID, k.Name, k.Role)
	return nil
}

func (a *app) listKeys(ctx context.Context, c *core.Core, actor wiki.Actor) error {
	keys, err := c.Access.ListKeys(ctx, actor)
	if err != nil {
		return err
	}
	now := time.Now()
	return printList(a, keys, showKey, func(k access.Key) []string {
		return []string{k.ID.String(), k.Prefix + "...", k.Role.String(), k.Name, k.AgentID, keyState(k, now)}
	})
}

func keyState(k access.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && now.After(*k.ExpiresAt):
		return "expired"
	case k.ExpiresAt != nil:
		return "until " + k.ExpiresAt.Format(time.DateTime)
	default:
		return "live"
	}
}

// noTenant says how to go on when the slug names none.
func noTenant(err error, slug string) error {
	if wiki.ErrorCode(err) != wiki.CodeNotFound {
		return err
	}
	e := wiki.Errorf(wiki.CodeNotFound, "there is no tenant %q", slug)
	e.Remedy = "wiki-server tenant list shows them; wiki-server tenant create " + slug + " makes it"
	return e
}
