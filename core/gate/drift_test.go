package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"wiki/core/gate"
	"wiki/core/record"
	"wiki/core/wiki"
)

func keyed(title string, body wiki.SubmittedBody) gate.Proposal {
	return gate.Proposal{Title: title, Body: body, Category: "finding", IdempotencyKey: "k"}
}

func TestDriftIsSignalledLoggedAndKept(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, keyed(deployTitle, text(deployBody)))
	o := b.propose(b.bo, keyed("Deploying now", text("We deploy on Fridays.\x00")))
	require.Equal(t, gate.Deduplicated, o.Verdict, "a no-op, never a refusal: harvests run again by design")
	require.Equal(t, first.Article.ID, o.Article.ID)
	require.True(t, *o.ContentDrift)
	require.True(t, *o.TitleDrift)
	read, update := strings.Index(o.Note, "Read the stored article first"), strings.Index(o.Note, "Update it only if")
	require.True(t, 0 < read && read < update, "the note says read before it says update")
	require.Equal(t, deployBody, b.get(first.Article.ID).Body)

	events := b.drifts()
	require.Len(t, events, 1)
	require.Equal(t, *o.DriftEvent, events[0].ID)
	require.Equal(t, "Deploying now", events[0].Title)
	require.Equal(t, "We deploy on Fridays.\uFFFD", *events[0].Body, "kept as far as it can be")
	require.Equal(t, first.Article.ID, events[0].Article.ID)
	require.Equal(t, 1, events[0].ArticleVersion)
	require.Equal(t, "bo", events[0].SubmittedBy.Principal)

	require.Contains(t, b.log.String(), "level=WARN")
	require.Contains(t, b.log.String(), first.Article.ID.String())
	require.NotContains(t, b.log.String(), "Fridays", "no text in the log")
	require.Equal(t, 1, b.count("audit_log where act = 'drift.record'"))
	b.propose(b.bo, keyed("Deploying now", text("We deploy on Fridays.\x00")))
	require.Len(t, b.drifts(), 1, "the same submission again is one event")
	require.Equal(t, 2, strings.Count(b.log.String(), "level=WARN"))
}

// An absent body is not drift; a present one that is no text is: a broken extraction is never answered "in sync".
func TestAbsentAndBrokenBodies(t *testing.T) {
	b := newBench(t)
	b.propose(b.ann, keyed(deployTitle, text(deployBody)))
	o := b.propose(b.ann, keyed(deployTitle, wiki.SubmittedBody{}))
	require.False(t, *o.ContentDrift)
	require.Nil(t, o.DriftEvent)
	o = b.propose(b.ann, keyed("", wiki.SubmittedBody{}))
	require.False(t, *o.TitleDrift)
	o = b.propose(b.ann, keyed(deployTitle, wiki.SubmittedBody{Present: true}))
	require.True(t, *o.ContentDrift)
	require.Nil(t, b.drifts()[0].Body)
	o = b.propose(b.ann, keyed(deployTitle, text(strings.Repeat("x", wiki.MaxBodyBytes+1))))
	require.True(t, *o.ContentDrift)
}

// The nightly retitle moves the stored side; a compliant writer is not asked to move it back. A curator's title ends that.
func TestTitleDriftIsSuppressedByPreviousTitleUntilTheTitleIsEdited(t *testing.T) {
	b := newBench(t)
	first := b.propose(b.ann, keyed("Untitled", text(deployBody)))
	b.exec("update articles set title = $2, previous_title = title where id = $1", first.Article.ID, deployTitle)
	o := b.propose(b.ann, keyed("Untitled", text(deployBody)))
	require.False(t, *o.TitleDrift)
	require.Nil(t, o.DriftEvent)
	// No metadata has a say in it.
	_, err := b.gate.Record.Update(t.Context(), b.ann, first.Article.ID, 0, record.Patch{Metadata: json.RawMessage(`{"consolidation_title_generated": false}`)}, "")
	require.NoError(t, err)
	require.False(t, *b.propose(b.ann, keyed("Untitled", text(deployBody))).TitleDrift)
	title := "How we deploy the service"
	_, err = b.gate.Record.Update(t.Context(), b.ann, first.Article.ID, 0, record.Patch{Title: &title}, "")
	require.NoError(t, err)
	require.True(t, *b.propose(b.ann, keyed("Untitled", text(deployBody))).TitleDrift)
}

// How a text is written is no drift (cases 73, 74).
func TestLineEndsBlanksAndNormalFormsAreNoDrift(t *testing.T) {
	b := newBench(t)
	body := "# Café\n\nÀ la carte,\nthree lines.\n"
	b.propose(b.ann, keyed("Café", text(body)))
	for _, same := range []string{strings.ReplaceAll(body, "\n", "\r\n"), norm.NFD.String(body), body + "  \n\n", strings.ReplaceAll(body, "\n", " \n")} {
		o := b.propose(b.ann, keyed(norm.NFD.String(" Café"), text(same)))
		require.False(t, *o.ContentDrift || *o.TitleDrift)
	}
	require.Empty(t, b.drifts())
}
