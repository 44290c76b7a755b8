package proposals_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/postgres/pgtest"
	"wiki/core/proposals"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Each round is some thirty acts on a real database. -rapid.checks=1000 looks longer.
func init() {
	_ = flag.Set("rapid.checks", "8")
	_ = flag.Set("rapid.shrinktime", "5s")
}

// machine lets random principals mint, approve, exclude, reject, withdraw, edit and let time pass, and checks after each
// act that every change of status is owed to exactly one approval by a line other than the minter's.
type machine struct {
	*world
	tb       testing.TB
	who      []wiki.Actor
	articles []uuid.UUID
	minted   []minted
	versions map[uuid.UUID]int // as they should be
}

// minted is a proposal as the model knows it.
type minted struct {
	id       uuid.UUID
	by       wiki.Actor
	frozen   map[uuid.UUID]int // version
	op       wiki.Op
	expires  time.Time
	open     bool
	approved bool
}

func newMachine(tb testing.TB, w *world, who []wiki.Actor) *machine {
	m := &machine{world: w, tb: tb, who: who, versions: map[uuid.UUID]int{}}
	m.articles = w.many(tb, 4)
	for _, id := range m.articles {
		m.versions[id] = 1
	}
	return m
}

func (m *machine) actor(t *rapid.T) wiki.Actor { return rapid.SampledFrom(m.who).Draw(t, "who") }

func (m *machine) some(t *rapid.T, label string, least int) []uuid.UUID {
	ids := rapid.Permutation(m.articles).Draw(t, label)
	return ids[:rapid.IntRange(least, len(ids)).Draw(t, label+" many")]
}

func (m *machine) mintIt(t *rapid.T) {
	who, ids := m.actor(t), m.some(t, "set", 1)
	op := rapid.SampledFrom([]wiki.Op{wiki.OpUnpublish, wiki.OpPublish}).Draw(t, "op")
	d, err := m.Mint(m.tb.Context(), who, byIDs(op, ids...), "")
	require.NoError(t, err)
	frozen := map[uuid.UUID]int{}
	for _, id := range ids {
		frozen[id] = m.versions[id]
	}
	m.minted = append(m.minted, minted{id: d.ID, by: who, frozen: frozen, op: op, expires: d.ExpiresAt, open: true})
}

func (m *machine) pick(t *rapid.T) *minted {
	if len(m.minted) == 0 {
		t.Skip("nothing is minted")
	}
	return &m.minted[rapid.IntRange(0, len(m.minted)-1).Draw(t, "proposal")]
}

// waits says whether the proposal can be decided now.
func (m *machine) waits(p *minted) bool { return p.open && m.clock.Now().Before(p.expires) }

func (m *machine) approveIt(t *rapid.T) {
	p, who, exclude := m.pick(t), m.actor(t), m.some(t, "exclude", 0)
	exclude = slices.DeleteFunc(exclude, func(id uuid.UUID) bool { _, in := p.frozen[id]; return !in })
	waits := m.waits(p)
	before := m.stands(m.tb, m.articles...)
	out, err := m.Approve(m.tb.Context(), who, p.id, proposals.Approval{Exclude: exclude}, "")
	allowed := who.Role >= wiki.RoleUser && waits && !wiki.SameLine(p.by.Stamp(), who.Stamp()) && len(exclude) < len(p.frozen)
	require.Equal(t, allowed, err == nil, "%v", err)
	if !allowed {
		return
	}
	p.open, p.approved = false, true
	require.Equal(t, proposals.StateExecuted, out.State)
	require.Len(t, out.Items, len(p.frozen))
	for _, it := range out.Items {
		version, in := p.frozen[it.Article]
		require.True(t, in, "what was never frozen was acted on")
		a := before[it.Article]
		skip := wiki.BulkAct{Op: p.op}.SkipReason(a)
		switch {
		case slices.Contains(exclude, it.Article):
			require.Equal(t, proposals.OutcomeExcluded, it.Outcome)
		case a.Version != version:
			require.Equal(t, proposals.CodeChangedSince, it.Code)
		case skip != "":
			require.Equal(t, skip, it.Code)
		default:
			require.Equal(t, wiki.BulkAct{Op: p.op}.Done(), it.Outcome)
			m.versions[it.Article]++
		}
	}
}

func (m *machine) endIt(t *rapid.T) {
	p, who := m.pick(t), m.actor(t)
	waits, own := m.waits(p), wiki.SameLine(p.by.Stamp(), who.Stamp())
	var err error
	allowed := waits && own
	if rapid.Bool().Draw(t, "reject") {
		_, err = m.Reject(m.tb.Context(), who, p.id, "no", "")
		allowed = waits && !own && who.Role >= wiki.RoleUser
	} else {
		_, err = m.Withdraw(m.tb.Context(), who, p.id, "", "")
	}
	require.Equal(t, allowed, err == nil, "%v", err)
	p.open = p.open && err != nil
}

func (m *machine) editIt(t *rapid.T) {
	id := rapid.SampledFrom(m.articles).Draw(t, "article")
	body := "Edited " + uuid.NewString()
	_, err := m.record.Update(m.tb.Context(), m.who[0], id, 0, record.Patch{Body: &body}, "")
	require.NoError(t, err)
	m.versions[id]++
}

func (m *machine) wait(t *rapid.T) {
	m.clock.Pass(time.Duration(rapid.IntRange(1, 4).Draw(t, "days")) * 24 * time.Hour)
	_, err := m.Sweep(m.tb.Context())
	require.NoError(t, err)
}

func (m *machine) check(t *rapid.T) {
	for id, a := range m.stands(m.tb, m.articles...) {
		require.Equal(t, m.versions[id], a.Version, "an article changed that no approval, or no edit, changed")
	}
	for _, p := range m.minted {
		n := m.number(m.tb, `select count(*) from audit_log where act = 'proposal.approve' and subject = $1`, p.id)
		require.Equal(t, map[bool]int{true: 1, false: 0}[p.approved], n, fmt.Sprint("approvals of ", p.id))
	}
}

func TestRandomActsKeepTheRulesOfProposals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, proposals.Settings{Batch: 2})
	root := uuid.New()
	person, child := w.user, pgtest.Actor(t, w.db, w.user.Tenant, wiki.RoleUser, "helper")
	person.Lineage, child.Lineage = []uuid.UUID{root}, []uuid.UUID{root, uuid.New()}
	who := []wiki.Actor{person, w.second, w.agent, child}
	rapid.Check(t, func(rt *rapid.T) {
		m := newMachine(t, w, who)
		rt.Repeat(map[string]func(*rapid.T){
			"": m.check, "mint": m.mintIt, "approve": m.approveIt, "approve again": m.approveIt, "end": m.endIt, "edit": m.editIt, "wait": m.wait,
		})
	})
}
