package access_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/access"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

func (w world) mint(t *testing.T, parent wiki.Actor, agent string, role wiki.Role) (access.Dispatch, wiki.Actor) {
	t.Helper()
	d, err := w.MintDispatch(t.Context(), parent, access.NewDispatch{AgentID: agent, Role: role})
	require.NoError(t, err)
	return d, w.resolve(t, d.Secret).Actor
}

func (w world) refusesMint(t *testing.T, parent wiki.Actor, in access.NewDispatch, code wiki.Code) {
	t.Helper()
	_, err := w.MintDispatch(t.Context(), parent, in)
	require.Equal(t, code, wiki.ErrorCode(err), "%v", err)
}

func TestLineageDecidesWhoIsSeparate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	_, root := w.key(t, wiki.RoleOrchestrator, "root", 0)
	d1, left := w.mint(t, root, "left", wiki.RoleOrchestrator)
	_, right := w.mint(t, root, "right", wiki.RoleAgent)
	d3, leaf := w.mint(t, left, "leaf", wiki.RoleAgent)
	require.Nil(t, d1.Parent)
	require.Equal(t, d1.ID, *d3.Parent)
	require.Equal(t, []uuid.UUID{root.Key, d1.ID, d3.ID}, leaf.Lineage)
	same := func(a, b wiki.Actor) bool { return wiki.SameLine(a.Stamp(), b.Stamp()) }
	require.True(t, same(root, leaf), "the key that began the line is its ancestor")
	require.True(t, same(leaf, left))
	require.True(t, same(left, root))
	require.False(t, same(left, right), "siblings are separate")
	require.False(t, same(leaf, right))
	require.False(t, same(w.user, leaf))
}

func TestRevokingADispatchRevokesItsSubtree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	rootKey, root := w.key(t, wiki.RoleOrchestrator, "root", 0)
	d1, left := w.mint(t, root, "left", wiki.RoleOrchestrator)
	d2, right := w.mint(t, root, "right", wiki.RoleAgent)
	d3, leaf := w.mint(t, left, "leaf", wiki.RoleAgent)

	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.RevokeDispatch(t.Context(), right, d1.ID)), "a sibling's line is not its own")
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.RevokeDispatch(t.Context(), pgtest.Tenant(t, w.db), d1.ID)))
	require.NoError(t, w.RevokeDispatch(t.Context(), left, d1.ID))
	w.refuses(t, d1.Secret, wiki.CodeUnauthorized)
	w.refuses(t, d3.Secret, wiki.CodeUnauthorized)
	w.resolve(t, d2.Secret)
	w.refusesMint(t, leaf, access.NewDispatch{Role: wiki.RoleAgent}, wiki.CodeParentExpired)

	require.NoError(t, w.RevokeKey(t.Context(), w.user, rootKey.ID))
	w.refuses(t, d2.Secret, wiki.CodeUnauthorized)

	all, err := w.ListDispatches(t.Context(), w.user)
	require.NoError(t, err)
	require.Len(t, all, 3)
	for _, d := range all {
		require.NotNil(t, d.RevokedAt)
		require.Empty(t, d.Secret)
	}
	own, err := w.ListDispatches(t.Context(), left)
	require.NoError(t, err)
	require.Len(t, own, 2, "itself and its leaf")
}

func TestNoChildEscapesARevocationThatRunsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	_, root := w.key(t, wiki.RoleOrchestrator, "root", 0)
	d1, left := w.mint(t, root, "left", wiki.RoleOrchestrator)
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		secrets []string
	)
	for range 6 {
		wg.Go(func() {
			if d, err := w.MintDispatch(t.Context(), left, access.NewDispatch{Role: wiki.RoleAgent}); err == nil {
				mu.Lock()
				defer mu.Unlock()
				secrets = append(secrets, d.Secret)
			}
		})
	}
	wg.Go(func() {
		if err := w.RevokeDispatch(t.Context(), w.user, d1.ID); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	for _, secret := range secrets {
		w.refuses(t, secret, wiki.CodeUnauthorized)
	}
}

func TestChildIsNeverMoreThanItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{MaxDispatches: 4})
	_, agent := w.key(t, wiki.RoleAgent, "scribe", 0)
	w.refusesMint(t, agent, access.NewDispatch{Role: wiki.RoleOrchestrator}, wiki.CodeForbidden)
	w.refusesMint(t, w.user, access.NewDispatch{Role: wiki.RoleSuperadmin}, wiki.CodeInvalid)
	w.refusesMint(t, w.user, access.NewDispatch{}, wiki.CodeInvalid)
	w.refusesMint(t, agent, access.NewDispatch{Role: wiki.RoleAgent, Lifetime: seconds(59)}, wiki.CodeInvalid)
	w.refusesMint(t, agent, access.NewDispatch{Role: wiki.RoleAgent, Lifetime: seconds(14_401)}, wiki.CodeInvalid)
	w.refusesMint(t, access.Operator(w.user.Tenant), access.NewDispatch{Role: wiki.RoleAgent}, wiki.CodeForbidden)

	_, other := w.key(t, wiki.RoleAgent, "other", 0)
	w.refusesMint(t, agent, access.NewDispatch{Role: wiki.RoleAgent, AgentID: "other"}, wiki.CodeForbidden)
	w.mint(t, agent, "scribe", wiki.RoleAgent)
	w.mint(t, agent, "helper", wiki.RoleAgent)
	w.refusesMint(t, other, access.NewDispatch{Role: wiki.RoleAgent, AgentID: "helper"}, wiki.CodeForbidden)
	w.mint(t, w.user, "helper", wiki.RoleAgent)

	_, short := w.key(t, wiki.RoleAgent, "short", 10*time.Minute)
	d, err := w.MintDispatch(t.Context(), short, access.NewDispatch{Role: wiki.RoleAgent})
	require.NoError(t, err)
	require.WithinDuration(t, w.clock.now().Add(10*time.Minute), d.ExpiresAt, time.Minute, "cut to the parent's rest")
	w.refusesMint(t, agent, access.NewDispatch{Role: wiki.RoleAgent}, wiki.CodeRateLimited)
	w.clock.pass(10 * time.Minute)
	w.refuses(t, d.Secret, wiki.CodeKeyExpired)
	w.refusesMint(t, short, access.NewDispatch{Role: wiki.RoleAgent}, wiki.CodeParentExpired)

	_, err = w.RotateKey(t.Context(), w.user, d.Key, nil)
	require.Equal(t, wiki.CodeTransition, wiki.ErrorCode(err))
}

func TestRotationShortensWhatTheOldKeyMinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	k, actor := w.key(t, wiki.RoleOrchestrator, "root", 0)
	d, child := w.mint(t, actor, "child", wiki.RoleOrchestrator)
	leaf, _ := w.mint(t, child, "leaf", wiki.RoleAgent)
	none := time.Duration(0)
	_, err := w.RotateKey(t.Context(), w.user, k.ID, &none)
	require.NoError(t, err)
	w.refuses(t, d.Secret, wiki.CodeKeyExpired)
	w.refuses(t, leaf.Secret, wiki.CodeKeyExpired)
}

// An agent's keys are one principal: a child of one of them is not separate from the agent under another.
func TestLineageKnowsTheAgentsAboveByEveryKeyOfTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	_, one := w.key(t, wiki.RoleAgent, "scribe", 0)
	_, two := w.key(t, wiki.RoleOrchestrator, "scribe", 0)
	_, helper := w.mint(t, two, "helper", wiki.RoleOrchestrator)
	_, leaf := w.mint(t, helper, "leaf", wiki.RoleAgent)
	_, unnamed := w.mint(t, helper, "", wiki.RoleAgent)
	_, stranger := w.key(t, wiki.RoleAgent, "stranger", 0)
	require.Empty(t, two.Line)
	require.Equal(t, []string{"scribe"}, helper.Line)
	require.Equal(t, []string{"scribe", "helper"}, leaf.Line)
	for _, below := range []wiki.Actor{helper, leaf, unnamed} {
		require.True(t, wiki.SameLine(one.Stamp(), below.Stamp()))
		require.True(t, wiki.SameLine(below.Stamp(), one.Stamp()))
		require.False(t, wiki.SameLine(stranger.Stamp(), below.Stamp()))
	}
	require.False(t, wiki.SameLine(leaf.Stamp(), unnamed.Stamp()), "siblings are separate")
}

// A dispatch of role user that could make a key would have one that outlives its line and judges what the line did.
func TestADispatchKeepsNoKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, access.Settings{})
	ctx := t.Context()
	someone, _ := w.key(t, wiki.RoleUser, "someone", 0)
	_, child := w.mint(t, w.user, "child", wiki.RoleUser)
	for name, act := range map[string]func() error{
		"make a key": func() error {
			_, err := w.CreateKey(ctx, child, access.NewKey{Name: "mine", Role: wiki.RoleAgent})
			return err
		},
		"rotate a key":    func() error { _, err := w.RotateKey(ctx, child, someone.ID, nil); return err },
		"rotate its root": func() error { _, err := w.RotateKey(ctx, child, w.user.Key, nil); return err },
		"revoke a key":    func() error { return w.RevokeKey(ctx, child, someone.ID) },
	} {
		require.Equal(t, wiki.CodeForbidden, wiki.ErrorCode(act()), name)
	}
	w.resolve(t, someone.Secret)
	keys, err := w.ListKeys(ctx, w.user)
	require.NoError(t, err)
	require.Len(t, keys, 2, "the user's and someone's, as before")

	_, stranger := w.key(t, wiki.RoleOrchestrator, "stranger", 0)
	foreign, _ := w.mint(t, stranger, "foreign", wiki.RoleAgent)
	w.refusesMint(t, child, access.NewDispatch{Role: wiki.RoleAgent, AgentID: "stranger"}, wiki.CodeForbidden)
	require.Equal(t, wiki.CodeNotFound, wiki.ErrorCode(w.RevokeDispatch(ctx, child, foreign.ID)), "another line's")
	own, err := w.ListDispatches(ctx, child)
	require.NoError(t, err)
	require.Len(t, own, 1)
}
