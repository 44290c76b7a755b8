package conflicts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Keys of Verdict.Result: what an execution did, so that it can be undone exactly (case 22).
const (
	resultLink       = "link_id"     // of the link that a supersede made; absent when it stood before
	resultArmed      = "armed_id"    // of a link that stood as an opinion and was given effect
	resultWinnerWas  = "winner_was"  // statuses before a supersede
	resultLoserWas   = "loser_was"   //
	resultWinnerMark = "winner_mark" // what else the change of status took; absent when it took nothing
	resultLoserMark  = "loser_mark"
	resultDraft      = "draft_id" // of a merge
	resultMergedBy   = "merged_by"
	resultMergeNote  = "merge_note"
)

// supersede links the winner to the loser and retires the loser. A winner that was a draft is published by it: a wiki whose
// only answer is a draft answers nothing.
func (s Service) supersede(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, winner, loser wiki.Article) (map[string]any, error) {
	result := map[string]any{resultWinnerWas: winner.Status, resultLoserWas: loser.Status}
	if err := retiringLink(ctx, tx, actor, v, winner, loser, result); err != nil {
		return nil, err
	}
	left, err := s.Record.SetStatus(ctx, tx, actor, loser.ID, wiki.StatusSuperseded, clip("superseded by "+winner.Title))
	if err != nil {
		return nil, err
	}
	result[resultLoserMark] = record.MarksOf(loser, left)
	if winner.Status != wiki.StatusDraft {
		return result, nil
	}
	if left, err = s.Record.SetStatus(ctx, tx, actor, winner.ID, wiki.StatusPublished, clip("it replaces "+loser.Title)); err != nil {
		return nil, err
	}
	result[resultWinnerMark] = record.MarksOf(winner, left)
	return result, nil
}

// retiringLink makes the link from winner to loser, or gives effect to one that stands as an agent's opinion.
func retiringLink(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, winner, loser wiki.Article, result map[string]any) error {
	link := wiki.Link{
		ID: tx.NewID(), Source: winner.ID, Target: loser.ID, Relation: wiki.RelSupersedes, Retires: true,
		Metadata: map[string]any{"verdict": v.ID.String()},
	}
	created, err := articles.InsertLink(ctx, tx, actor.Tenant, link)
	if err != nil {
		return err
	}
	if created {
		result[resultLink] = link.ID
		return nil
	}
	stands, err := articles.LinkBetween(ctx, tx, actor, winner.ID, loser.ID, wiki.RelSupersedes)
	if err != nil || stands.Retires {
		return err
	}
	result[resultArmed] = stands.ID
	return articles.SetRetires(ctx, tx, actor.Tenant, stands.ID, true)
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
	winner, err := articles.Get(ctx, tx, actor, winnerID)
	if err != nil {
		return err
	}
	demotes := was(v, resultWinnerWas) == wiki.StatusDraft && winner.Status == wiki.StatusPublished
	if err := blocked(ctx, tx, actor, winner, loser, demotes); err != nil {
		return err
	}
	if err := dropRetiring(ctx, tx, actor, v); err != nil {
		return err
	}
	if err := s.giveBack(ctx, tx, actor, loser, v, resultLoserWas, resultLoserMark, "the verdict that superseded it was reverted"); err != nil || !demotes {
		return err
	}
	return s.giveBack(ctx, tx, actor, winner, v, resultWinnerWas, resultWinnerMark, "the verdict that published it was reverted")
}

// blocked names the later act that stands in the way of a reversal: the loser is superseded by another article too or is
// something else by now, or the winner, which would be a draft again, has superseded another article since.
func blocked(ctx context.Context, tx postgres.Tx, actor wiki.Actor, winner, loser wiki.Article, demotes bool) error {
	if loser.Status != wiki.StatusSuperseded {
		return wiki.Errorf(wiki.CodeTransition, "%q is %s by now: there is nothing to bring back", loser.Title, loser.Status)
	}
	_, incoming, err := articles.Links(ctx, tx, actor, loser.ID)
	if err != nil {
		return err
	}
	outgoing, _, err := articles.Links(ctx, tx, actor, winner.ID)
	if err != nil {
		return err
	}
	if !demotes {
		outgoing = nil
	}
	for _, edge := range append(incoming, outgoing...) {
		if edge.Retires && (edge.Source != winner.ID || edge.Target != loser.ID) {
			return inTheWay(ctx, tx, actor, edge)
		}
	}
	return nil
}

const laterSQL = `select id from conflict_verdicts where tenant_id = $1 and first_id = least($2::uuid, $3) and second_id = greatest($2::uuid, $3)
  and authoritative_id = $2 and disposition = 'supersede' and executed_at is not null and reverted_at is null order by executed_at desc limit 1`

func inTheWay(ctx context.Context, tx postgres.Tx, actor wiki.Actor, edge articles.Edge) error {
	e := wiki.Errorf(wiki.CodeTransition, "%q supersedes %q since", edge.From.Title, edge.To.Title)
	e.Remedy = "undo that first: delete the link, and bring the article that it retired back"
	e.Details = map[string]any{"link_id": edge.ID, "article_id": edge.Source, "superseded_id": edge.Target}
	var verdict uuid.UUID
	err := tx.QueryRow(ctx, laterSQL, actor.Tenant, edge.Source, edge.Target).Scan(&verdict)
	switch {
	case err == nil:
		e.Remedy, e.Details["verdict_id"] = "revert the verdict that did so first", verdict
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("conflicts: look for the later verdict: %w", err)
	}
	return e
}

// dropRetiring removes the link that the verdict made, or makes the one that it gave effect to an opinion again.
func dropRetiring(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict) error {
	if id, ok, err := resultID(v, resultLink); ok || err != nil {
		if err != nil {
			return err
		}
		return articles.DeleteLink(ctx, tx, actor.Tenant, id)
	}
	id, ok, err := resultID(v, resultArmed)
	if err != nil || !ok {
		return err
	}
	return articles.SetRetires(ctx, tx, actor.Tenant, id, false)
}

func resultID(v wiki.Verdict, key string) (id uuid.UUID, ok bool, err error) {
	text, ok := v.Result[key].(string)
	if !ok {
		return id, false, nil
	}
	if id, err = uuid.Parse(text); err != nil {
		return id, false, fmt.Errorf("conflicts: read the result of %s: %w", v.ID, err)
	}
	return id, true, nil
}

// giveBack returns an article to the status that it had, with the marks that it lost by the verdict, unless it was changed
// since: a curation does not outlive the text that was curated.
func (s Service) giveBack(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, v wiki.Verdict, statusKey, markKey, reason string) error {
	var marks record.Marks
	raw, err := json.Marshal(v.Result[markKey])
	if err == nil {
		err = json.Unmarshal(raw, &marks)
	}
	if err != nil {
		return fmt.Errorf("conflicts: read the result of %s: %w", v.ID, err)
	}
	if marks.Version != a.Version {
		marks = record.Marks{}
	}
	_, err = s.Record.GiveBack(ctx, tx, actor, a.ID, was(v, statusKey), marks, reason)
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
