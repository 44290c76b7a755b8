package proposals_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/outbox"
	"wiki/tui/proposals"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

func ptr[T any](v T) *T { return &v }

type source struct {
	rows  []api.BulkProposal
	items []api.BulkItem
	err   error
	asked []api.BulkProposalQuery
}

func (s *source) Proposals(_ context.Context, q api.BulkProposalQuery) ([]api.BulkProposal, api.Meta, error) {
	s.asked = append(s.asked, q)
	var out []api.BulkProposal
	waiting := 0
	for _, p := range s.rows {
		if p.State == "pending" {
			waiting++
		}
		if p.State == q.State {
			out = append(out, p)
		}
	}
	return out, api.Meta{Counts: map[string]int{"pending": waiting}}, s.err
}

func (s *source) Proposal(_ context.Context, id uuid.UUID) (api.BulkProposal, error) {
	for _, p := range s.rows {
		if p.ID == id {
			return p, s.err
		}
	}
	return api.BulkProposal{}, wiki.NotFound()
}

func (s *source) ProposalItems(context.Context, uuid.UUID, string, int) ([]api.BulkItem, api.Meta, error) {
	return append([]api.BulkItem(nil), s.items...), api.Meta{}, s.err
}

// filled has three proposals that wait and one that was carried out; each of six articles, of which one changed since and one
// is gone.
func filled() *source {
	s := &source{}
	now := screentest.Now
	for i := range 6 {
		s.items = append(s.items, api.BulkItem{Position: i + 1, ID: id(100 + i), Title: fmt.Sprintf("Runbook of gateway %d", i), Version: ptr(2), Current: 2, Status: "published"})
	}
	s.items[1].Curated = true
	s.items[3].Current, s.items[3].Changed = 4, true
	s.items[5].Current, s.items[5].Status, s.items[5].Changed = 0, "", true
	for i, op := range []string{"archive", "retag", "delete", "unpublish"} {
		p := api.BulkProposal{
			ID: id(i), Op: op, Selector: `the tag "old"`, Rationale: "These runbooks are of the gateways that were switched off in March; nobody has read them since.",
			State: "pending", MintedBy: "scout", MintedRole: "agent", MintedAt: now.Add(-time.Duration(i+1) * time.Hour), ExpiresAt: now.Add(6 * 24 * time.Hour),
			Counts: map[string]int{"requested": 6, "left": 6}, MayApprove: true,
		}
		switch op {
		case "archive":
			p.Impact = api.Impact{
				LinkCount: 2, CuratedCount: 1, Curated: []uuid.UUID{id(101)}, GoldenKnown: true,
				Links:  []api.BrokenLink{{Relationship: "relates_to", From: api.ArticleRef{ID: id(7), Title: "On call"}, To: api.ArticleRef{ID: id(100), Title: "Runbook of gateway 0"}}},
				Golden: []api.GoldenQuestion{{ID: "g1", Question: "How is gateway 1 restarted?", ArticleID: id(101)}},
			}
		case "retag":
			p.AddTags, p.RemoveTags = []string{"switched-off"}, []string{"live"}
		case "delete":
			p.Hard, p.MintedBy, p.MayApprove, p.WhyNot = true, "curator", false, "you minted it: another user decides"
		case "unpublish":
			p.State, p.SettledBy, p.SettledAt = "executed", "ben", ptr(now.Add(-time.Minute))
			p.Counts = map[string]int{"requested": 6, "unpublished": 5, "not_found": 1}
		}
		s.rows = append(s.rows, p)
	}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	env := screentest.Env()
	env.Who = api.Whoami{Principal: "curator", Role: "user"}
	return screentest.Start(t, proposals.New(env, src), width, height)
}

func TestApprovesLessWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 100, 24).Press("enter")
	require.Contains(t, d.Text(), "4 to archive · 1 changed, skipped · 1 gone")
	d.Press("space", "j", "j", "c") // leaves the first out; the fourth is still meant
	require.Contains(t, d.Text(), "4 to archive · 1 left out · 1 gone")
	require.Contains(t, d.Text(), "v4, was v2: still meant")
	d.Press("a")
	require.Len(t, d.Deeds, 1)
	deed := d.Deeds[0]
	require.Equal(t, outbox.Approve, deed.Act.Kind)
	require.Equal(t, id(0), *deed.Act.Subject)
	require.Equal(t, &api.Approval{Exclude: []uuid.UUID{id(100)}, Reconfirm: []api.Reconfirmed{{ID: id(103), Version: 4}}}, deed.Act.Approval)
	require.Equal(t, "Archive 4 articles?", deed.Ask.Title)
	require.Contains(t, deed.Ask.Lines, "1 article is left out, as you chose.")
	require.Contains(t, deed.Ask.Lines, "The whole set: 2 links break, 1 curated answer goes, 1 golden question loses its answer.")
	require.NotContains(t, d.Text(), "Archive", "it has left the list at once")
	n, _ := d.Count()
	require.Equal(t, 2, n)
}

func TestRangesAreLeftOutTogether(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 100, 24).Press("enter", "v", "j", "j", "space")
	require.Contains(t, d.Text(), "1 to archive · 3 left out · 1 changed, skipped · 1 gone")
	d.Press("v", "k", "k", "space")
	require.Contains(t, d.Text(), "4 to archive · 1 changed", "a range of which all are out is taken in again")
	d.Press("v", "g", "v", "G", "v", "g", "space")
	require.Equal(t, "nothing is left of the set: reject the proposal instead", d.Why("a"))
}

func TestLeavingAProposalLosesNoChoice(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 100, 24).Press("enter", "space", "r").Type("No").Press("esc", "esc", "j", "k", "enter")
	require.Contains(t, d.Text(), "3 to archive · 1 left out")
	require.Contains(t, d.Press("r").Text(), "│No▏")
}

func TestWhatChangesAgainIsNotMeantAnyMore(t *testing.T) {
	t.Parallel()
	src := filled()
	d := start(t, src, 100, 24).Press("enter", "j", "j", "j", "c")
	src.items[3].Current = 5
	d.Tell(screen.Resync{})
	require.Contains(t, d.Text(), "v5, was v2: skipped")
	require.Regexp(t, `> .*Runbook of gateway 3`, d.Text(), "the selection stays")
	d.Press("a")
	require.Empty(t, d.Deeds[0].Act.Approval.Reconfirm)
}

func TestARejectionSaysWhy(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 20).Press("enter", "r", "enter")
	require.Contains(t, d.Text(), "write why")
	require.Empty(t, d.Deeds)
	d.Type("Gateway 2 is back").Press("enter")
	require.Equal(t, outbox.Act{Kind: outbox.Reject, Subject: ptr(id(0)), What: "reject: Archive 6 articles", Reason: "Gateway 2 is back"}, d.Deeds[0].Act)
	require.Nil(t, d.Deeds[0].Ask)
}

func TestADecisionThatWasRefusedComesBack(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 20).Press("enter", "a")
	require.NotContains(t, d.Tell(screen.Resync{}).Text(), "Archive", "it stays away while its approval is on its way")
	d.Tell(screen.Ended{Act: d.Deeds[0].Act, Err: wiki.Errorf(wiki.CodeProposalSettled, "it is settled")})
	require.Contains(t, d.Text(), "Archive")
}

func TestOnesOwnProposalIsWithdrawnNotApproved(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 20).Press("j", "j", "enter")
	require.Equal(t, "you minted it: another user decides", d.Why("a"))
	require.Equal(t, "you minted it: another user decides", d.Why("r"))
	d.Press("W")
	require.Equal(t, outbox.Recall, d.Deeds[0].Act.Kind)
	d.Press("enter")
	require.Equal(t, "only its minter, scout, withdraws it: reject it instead", d.Why("W"))
}

func TestSettledOnesAreOnlyRead(t *testing.T) {
	t.Parallel()
	src := filled()
	d := start(t, src, 100, 20).Press("tab", "tab", "enter")
	require.Equal(t, "executed", src.asked[len(src.asked)-1].State)
	require.Contains(t, d.Text(), "1 not found, 5 unpublished")
	require.Equal(t, "the proposal is executed already", d.Why("a"))
	require.Equal(t, "the proposal is executed already", d.Why("space"))
}

func TestTheImpactIsListed(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 24).Press("enter", "i")
	for _, want := range []string{"On call → Runbook of gateway 0 (relates_to)", "and 1 more", "Runbook of gateway 1", "How is gateway 1 restarted?"} {
		require.Contains(t, d.Text(), want)
	}
	require.Equal(t, "show the articles (i) first", d.Why("space"))
	d.Press("G", "k", "esc", "j", "o")
	require.Equal(t, []tea.Msg{screen.ReadArticle{ID: id(101).String()}}, d.Sent)
}

func TestFailuresAreSaid(t *testing.T) {
	t.Parallel()
	src := filled()
	src.err = wiki.Errorf(wiki.CodeUnavailable, "the server does not answer")
	d := start(t, src, 80, 20)
	require.Contains(t, d.Text(), "The proposals could not be read.")
	src.err = nil
	d.Press("ctrl+r")
	src.err = wiki.NotFound()
	require.Contains(t, d.Press("enter").Text(), "The proposal could not be read.")
	require.Contains(t, start(t, &source{}, 80, 20).Text(), "No proposal waits.")
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"list": {"j"}, "one": {"enter", "space"}, "impact": {"enter", "i"}, "reject": {"enter", "r", "N", "o"}, "executed": {"tab", "tab", "enter"}} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, filled(), size[0], size[1]).Press(keys...)
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

func TestEmptyScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"pending": {}, "rejected": {"tab", "tab", "tab"}} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, &source{}, size[0], size[1]).Press(keys...)
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

func TestHostileProposal(t *testing.T) {
	t.Parallel()
	src := filled()
	const evil = screentest.Evil
	for i := range src.rows {
		p := &src.rows[i]
		p.Op, p.Selector, p.Rationale, p.MintedBy, p.MintedRole, p.WhyNot, p.SettledBy, p.SettleReason = evil, evil, evil, evil, evil, evil, evil, evil
		p.AddTags, p.Counts = []string{evil}, map[string]int{"requested": 6, evil: 1}
	}
	for i := range src.items {
		src.items[i].Title, src.items[i].Status, src.items[i].Code = evil, evil, evil
	}
	src.rows[0].Impact.Links[0] = api.BrokenLink{Relationship: evil, From: api.ArticleRef{Title: evil}}
	src.rows[0].Impact.Golden[0].Question = evil
	d := start(t, src, 80, 24)
	d.RequireInert()
	d.Press("enter").RequireInert()
	d.Press("i").RequireInert()
	d.Press("esc", "esc", "tab", "tab").RequireInert()
	d.Press("enter").RequireInert()
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		env.Who = api.Whoami{Principal: "curator", Role: "user"}
		return screentest.Start(t, proposals.New(env, filled()), 80, 16).Press("enter", "space")
	})
}
