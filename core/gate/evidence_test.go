package gate_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

func (b bench) differing(article uuid.UUID) (differing []wiki.Difference, first uuid.UUID) {
	b.t.Helper()
	require.NoError(b.t, b.db.System(b.t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, "select differing, first_id from conflict_flags where system and $1 in (first_id, second_id)", article).Scan(&differing, &first)
	}))
	return differing, first
}

// "Port 8080" and "port 8081" are two statements, however near their vectors are: both stand, and a curator sees the pair
// with what tells it apart (SPEC §3; cases 13, 14, 25, 33).
func TestNearNeighbourWithOtherEvidenceIsADraftAndFlagged(t *testing.T) {
	for name, c := range map[string]struct{ title, body, kind string }{
		"number":     {"The proxy port", "The proxy of the staging cluster listens on port 8081 and forwards to the api.", wiki.KindNumber},
		"identifier": {"The proxy port", "The proxy of the staging cluster listens on port 8080 and forwards to the `api`.", wiki.KindIdentifier},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			first := b.propose(b.ann, proposal(portTitle, portBody))
			o := b.propose(b.bo, proposal(c.title, c.body))
			require.Equal(t, gate.LowNovelty, o.Verdict)
			require.Equal(t, wiki.StatusDraft, o.Article.Status)
			require.Equal(t, []uuid.UUID{first.Article.ID}, o.Flagged)
			require.Equal(t, c.kind, o.Differing[0].Kind)
			stored, firstID := b.differing(o.Article.ID)
			require.Equal(t, first.Article.ID, firstID, "ids are sorted, and the older one is less")
			require.Len(t, stored, len(o.Differing))
			require.Equal(t, o.Differing[0].First, stored[0].Second)
			require.Contains(t, o.Note, "curators")
			require.Equal(t, portBody, b.get(first.Article.ID).Body, "a conflict never overwrites")
		})
	}
}

func TestEvidenceDecidesAtAnyCosine(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, proposal("Router", "The router of the office is 192.168.7.1."))
	b.gate.Assessor = fixed{assessment: gate.Assessment{Near: []gate.Neighbour{{ID: first.Article.ID, Cosine: 1}}, Thresholds: gateLines}}
	o := b.propose(b.bo, proposal("Office router", "The router of the office is 192.168.9.1."))
	require.Equal(t, gate.LowNovelty, o.Verdict)
	require.Equal(t, []wiki.Difference{{Kind: wiki.KindVersion, First: "192.168.9.1", Second: "192.168.7.1"}}, o.Differing)
	require.Len(t, o.Flagged, 1)
}

// Identical text needs no vector to be found.
func TestIdenticalTextIsFoundWithoutAVector(t *testing.T) {
	b := newBench(t)
	shared := b.propose(b.ann, deploy())
	b.model.answer = down
	calls := b.model.calls.Load()
	p := proposal(deployTitle, deployBody+"\r\n")
	p.Metadata = metadata(map[string]any{"visibility": "private"})
	o := b.propose(b.bo, p)
	require.Equal(t, gate.Duplicate, o.Verdict)
	require.Equal(t, shared.Article.ID, o.Article.ID)
	require.EqualValues(t, 1, o.Neighbour.Cosine)
	require.Equal(t, calls, b.model.calls.Load())
}

// What the caller cannot see does not exist for the gate either, and what only some can see makes nothing redundant.
func TestPrivateArticlesAreNoNeighboursOfSharedOnes(t *testing.T) {
	b := newBench(t)
	hidden := deploy()
	hidden.Metadata, hidden.IdempotencyKey = metadata(map[string]any{"visibility": "private"}), "k"
	own := b.propose(b.ann, hidden)
	for _, who := range []wiki.Actor{b.bo, b.user} {
		p := proposal("Deploying, by "+who.Principal(), deployBody)
		p.Force = who.Role == wiki.RoleUser // bo's stands by now
		require.True(t, b.propose(who, p).Created)
	}
	// The same title and key, from one who cannot see the private article, tell nothing of it.
	p := deploy()
	p.IdempotencyKey = "k"
	p.Force = true
	o := b.propose(b.bo, p)
	require.True(t, o.Created)
	require.NotEqual(t, own.Article.ID, o.Article.ID)
	require.NotContains(t, o.Flagged, own.Article.ID)
	// Its owner's own private capture is a duplicate to its owner.
	again := sameDeploy()
	again.Metadata = metadata(map[string]any{"visibility": "owner"})
	require.Equal(t, gate.Duplicate, b.propose(b.ann, again).Verdict)
	// Nobody writes into another's private space.
	p = deploy()
	p.Metadata = metadata(map[string]any{"visibility": "private", "agent_id": "ann"})
	require.Equal(t, "metadata", b.refuse(b.bo, p, wiki.CodeInvalid).Field)
}

func TestOnlyPublishedArticlesThatAreNotSuppressedAreNeighbours(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, deploy())
	for _, state := range []string{
		"status = 'draft'", "status = 'archived'", "status = 'superseded'",
		"status = 'published', suppressed_at = now(), suppressed_by = 'x', suppression_reason = 'x'",
	} {
		b.exec("update articles set "+state+" where id = $1", first.Article.ID)
		o := b.propose(b.bo, sameDeploy())
		require.Equal(t, gate.Novel, o.Verdict, state)
		b.exec("delete from articles where id = $1", o.Article.ID)
	}
}
