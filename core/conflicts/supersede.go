package conflicts

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Keys of Verdict.Result: what an execution did, so that it can be undone exactly.
const (
	resultLink      = "link_id"    // of the link that a supersede made; absent when it stood before
	resultWinnerWas = "winner_was" // statuses before a supersede
	resultLoserWas  = "loser_was"
	resultDraft     = "draft_id" // of a merge
)

// supersede links the winner to the loser and retires the loser. A winner that was a draft is published by it: a wiki whose
// only answer is a draft answers nothing.
func (s Service) supersede(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, winner, loser wiki.Article) (map[string]any, error) {
	link := wiki.Link{ID: tx.NewID(), Source: winner.ID, Target: loser.ID, Relation: wiki.RelSupersedes, Metadata: map[string]any{"verdict": v.ID.String()}}
	created, err := articles.InsertLink(ctx, tx, actor.Tenant, link)
	if err != nil {
		return nil, err
	}
	result := map[string]any{resultWinnerWas: winner.Status, resultLoserWas: loser.Status}
	if created {
		result[resultLink] = link.ID
	}
	reason := clip("superseded by " + winner.Title)
	if _, err := s.Record.SetStatus(ctx, tx, actor, loser.ID, wiki.StatusSuperseded, reason); err != nil {
		return nil, err
	}
	if winner.Status == wiki.StatusDraft {
		_, err = s.Record.SetStatus(ctx, tx, actor, winner.ID, wiki.StatusPublished, clip("it replaces "+loser.Title))
	}
	return result, err
}

// restore undoes supersede. What was done to the loser since is not undone behind its author's back: it is named instead.
func (s Service) restore(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict) error {
	winnerID, loserID := v.First, v.Second
	if *v.Authoritative == loserID {
		winnerID, loserID = loserID, winnerID
	}
	loser, err := articles.Get(ctx, tx, actor, loserID)
	if err != nil {
		return err
	}
	if loser.Status != wiki.StatusSuperseded {
		return wiki.Errorf(wiki.CodeTransition, "%q is %s by now: there is nothing to bring back", loser.Title, loser.Status)
	}
	_, incoming, err := articles.Links(ctx, tx, actor, loserID)
	if err != nil {
		return err
	}
	for _, edge := range incoming {
		if edge.Relation == wiki.RelSupersedes && edge.Source != winnerID {
			e := wiki.Errorf(wiki.CodeTransition, "%q supersedes it too", edge.From.Title)
			e.Remedy = "undo that first"
			e.Details = map[string]any{"link_id": edge.ID, "article_id": edge.Source}
			return e
		}
	}
	if text, ok := v.Result[resultLink].(string); ok {
		link, err := uuid.Parse(text)
		if err != nil {
			return fmt.Errorf("conflicts: read the result of %s: %w", v.ID, err)
		}
		if err := articles.DeleteLink(ctx, tx, actor.Tenant, link); err != nil {
			return err
		}
	}
	if _, err := s.Record.SetStatus(ctx, tx, actor, loserID, was(v, resultLoserWas), "the verdict that superseded it was reverted"); err != nil {
		return err
	}
	winner, err := articles.Get(ctx, tx, actor, winnerID)
	if err != nil || was(v, resultWinnerWas) != wiki.StatusDraft || winner.Status != wiki.StatusPublished {
		return err
	}
	_, err = s.Record.SetStatus(ctx, tx, actor, winnerID, wiki.StatusDraft, "the verdict that published it was reverted")
	return err
}

func was(v wiki.Verdict, key string) wiki.Status {
	status, _ := v.Result[key].(string)
	return wiki.Status(status)
}

// clip keeps a reason within what the history takes.
func clip(reason string) string {
	runes := []rune(reason)
	return string(runes[:min(len(runes), wiki.MaxReasonRunes)])
}
