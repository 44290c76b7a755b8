package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/wiki"
)

// The keys that setup makes, each in a file of the state directory that only its owner reads.
const (
	keysDir      = "keys"
	curatorKey   = "user"  // for the terminal and for a person's scripts
	assistantKey = "agent" // for a first agent
)

// firstKeys says who the keys of a fresh wiki are for.
var firstKeys = []struct {
	file string
	key  access.NewKey
}{
	{curatorKey, access.NewKey{Name: "curator", Role: wiki.RoleUser, AgentID: "curator"}},
	{assistantKey, access.NewKey{Name: "assistant", Role: wiki.RoleAgent, AgentID: "assistant"}},
}

func (a *app) setupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "setup", Short: "Make the database, a first tenant and its keys; what is there already stays", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withCore(cmd.Context(), func(ctx context.Context, c *core.Core) error {
				if _, err := a.setUp(ctx, c); err != nil {
					return err
				}
				if a.json {
					return a.answer(map[string]string{
						"tenant": defaultTenant, "state_dir": a.settings.StateDir,
						"user_key_file": a.keyFile(curatorKey), "agent_key_file": a.keyFile(assistantKey),
					})
				}
				a.say("The wiki is set up in %s: tenant %s, its keys in the files of %s.", a.settings.StateDir, defaultTenant, filepath.Dir(a.keyFile(curatorKey)))
				a.say("Start it with: wiki-server serve")
				return nil
			})
		},
	}
}

func (a *app) keyFile(name string) string { return filepath.Join(a.settings.StateDir, keysDir, name) }

// setUp makes the first tenant and keys where they are absent, and gives the tenant's operator.
func (a *app) setUp(ctx context.Context, c *core.Core) (wiki.Actor, error) {
	t, err := c.Access.TenantBySlug(ctx, access.Operator(uuid.Nil), defaultTenant)
	if wiki.ErrorCode(err) == wiki.CodeNotFound {
		t, err = c.Access.CreateTenant(ctx, access.Operator(uuid.Nil), access.NewTenant{Slug: defaultTenant, Name: "Wiki"})
	}
	if err != nil {
		return wiki.Actor{}, err
	}
	operator := access.Operator(t.ID)
	for _, first := range firstKeys {
		if err := a.firstKey(ctx, c, operator, first.file, first.key); err != nil {
			return wiki.Actor{}, err
		}
	}
	return operator, nil
}

// firstKey makes a key unless its file holds one that still opens the wiki.
func (a *app) firstKey(ctx context.Context, c *core.Core, operator wiki.Actor, file string, in access.NewKey) error {
	held, err := a.readKey(file)
	if err != nil {
		return err
	}
	if held != "" {
		switch id, err := c.Access.Resolve(ctx, held); {
		case err == nil && id.Actor.Tenant == operator.Tenant:
			return nil
		case err != nil && wiki.ErrorCode(err) != wiki.CodeUnauthorized && wiki.ErrorCode(err) != wiki.CodeKeyExpired:
			return err
		}
	}
	key, err := newFirstKey(ctx, c, operator, in)
	if err != nil {
		return err
	}
	path := a.keyFile(file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return blocked(err, "give this user the right to write there", "cannot make %s", filepath.Dir(path))
	}
	return writePrivate(path, []byte(key.Secret+"\n"))
}

// newFirstKey makes the key. Where the agent has one already (its text is lost, or another machine's setup on the same
// database holds it) the new one gets a name of its own: that other key is not ours to end.
func newFirstKey(ctx context.Context, c *core.Core, operator wiki.Actor, in access.NewKey) (access.Key, error) {
	key, err := c.Access.CreateKey(ctx, operator, in)
	var e *wiki.Error
	if errors.As(err, &e) && e.Field == "agent_id" {
		in.AgentID += "-" + strings.ToLower(rand.Text()[:6])
		return c.Access.CreateKey(ctx, operator, in)
	}
	return key, err
}

// readKey gives the key in a file of the state directory, empty when there is none.
func (a *app) readKey(name string) (string, error) {
	raw, err := os.ReadFile(a.keyFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", blocked(err, "run as the user that set the wiki up", "cannot read the key in %s", a.keyFile(name))
	}
	return strings.TrimSpace(string(raw)), nil
}
