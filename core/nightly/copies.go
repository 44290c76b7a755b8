package nightly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

const (
	maxRetracted = 500  // copies a night (facts §7)
	capturePage  = 5000 // captures read at a time
)

// Copies is the consumer that retracts copies of one capture which the unique indexes let in, because their titles or keys
// were written otherwise (seed, invariant 4, corroboration; facts §7). A copy is unpublished, never archived, when two nights
// in a row found it, its text is like that of the oldest, and nothing in it differs. The rest is withheld, with the reason.
func Copies(writer record.Service) Consumer {
	return Consumer{
		Name: "duplicates", Does: "unpublishes copies of one capture that two nights agree on",
		Budget: wiki.NightBudget{Count: maxRetracted, Time: 5 * time.Minute}, Batch: 50,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return copies{writer}.runOnce(ctx, b) },
	}
}

type copies struct{ record.Service }

// at is where the consumer is: the night's claims have been written down, and those up to this one were looked at.
type at struct {
	After wiki.CopyOf `json:"after"`
}

func (c copies) runOnce(ctx context.Context, b Batch) (Done, error) {
	var done Done
	var place at
	if err := readCursor(b.Cursor, &place); err != nil {
		return done, err
	}
	if b.Cursor == "" {
		if err := c.report(ctx, b); err != nil {
			return done, err
		}
	}
	claims, err := c.claims(ctx, b, place.After)
	if err != nil {
		return done, err
	}
	for i, claim := range claims {
		if done.Tally.Acted() >= b.Acts || i == b.Look {
			done.More = true
			break
		}
		item, err := c.settle(ctx, b, claim)
		if err != nil {
			return done, err
		}
		done.Count(item)
		place.After = claim.CopyOf
		done.Looked, done.Cursor = done.Looked+1, cursor(place)
	}
	return done, nil
}

// find goes through all captures of the tenant.
func (c copies) find(ctx context.Context, actor wiki.Actor) ([]wiki.Claim, error) {
	var all []wiki.Capture
	after := uuid.Nil
	for {
		var page []wiki.Capture
		err := c.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
			page, err = articles.Captures(ctx, tx, actor, after, capturePage)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < capturePage {
			return wiki.Claims(wiki.CopyGroups(all)), nil
		}
		after = page[len(page)-1].ID
	}
}

// settle retracts a copy, or says why not. The error is of the whole consumer.
func (c copies) settle(ctx context.Context, b Batch, claim confirmed) (Item, error) {
	item := Item{Subject: claim.Member.String(), Outcome: Withheld, Code: wiki.CopyUnconfirmed, Note: "found by its " + string(claim.Signal) + " for the first time"}
	if !claim.agreed {
		return item, nil
	}
	var why wiki.Code
	err := c.DB.Tenant(ctx, b.Actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if why, item.Note, err = c.retract(ctx, tx, b.Actor, claim.Claim); err == nil && b.DryRun {
			err = errRehearsed
		}
		return err
	})
	switch {
	case err == nil, errors.Is(err, errRehearsed):
		if item.Code = why; why == "" {
			item.Outcome = Applied
		}
	case ctx.Err() != nil, wiki.ErrorCode(err) == wiki.CodeUnavailable:
		return item, err
	case wiki.ErrorCode(err) == wiki.CodeNotFound:
		item.Code, item.Note = wiki.CopyChanged, "it is gone"
	default:
		item.Outcome, item.Code, item.Note = Failed, wiki.ErrorCode(err), ""
	}
	return item, nil
}

// retract asks in the transaction whether all that was found still holds, and unpublishes the copy if it does.
func (c copies) retract(ctx context.Context, tx postgres.Tx, actor wiki.Actor, claim wiki.Claim) (why wiki.Code, note string, err error) {
	pair, err := wiki.NewPair(claim.Member, claim.Winner)
	if err != nil {
		return "", "", err
	}
	held := map[uuid.UUID]wiki.Article{}
	for _, id := range pair.IDs() {
		if held[id], err = articles.Lock(ctx, tx, actor, id); err != nil {
			return "", "", err
		}
	}
	member, winner := held[claim.Member], held[claim.Winner]
	note = fmt.Sprintf("%q is a copy of %q", member.Title, winner.Title)
	kept, err := articles.WasRetracted(ctx, tx, actor.Tenant, member.ID)
	switch {
	case err != nil:
		return "", "", err
	case !stillClaimed(claim, member, winner):
		return wiki.CopyChanged, note, nil
	case kept:
		return wiki.CopyKept, note, nil
	case member.CuratedAt != nil:
		return wiki.CopyCurated, note, nil
	}
	cosines, err := c.Vectors.Between(ctx, tx, c.Embedder.Model().ID, member.ID, []uuid.UUID{winner.ID})
	if err != nil {
		return "", "", err
	}
	scores := map[wiki.CopyOf]wiki.Cosine{}
	if cosine, measured := cosines[winner.ID]; measured {
		scores[claim.CopyOf] = cosine
	}
	differing := wiki.Differences(evidence(claim, member), evidence(claim, winner))
	if why = wiki.Corroborated(claim, scores, differing); why != "" {
		return why, note, nil
	}
	detail := map[string]any{"signal": claim.Signal, "similarity": float64(scores[claim.CopyOf])}
	_, err = c.RetractCopy(ctx, tx, actor, member.ID, winner, detail)
	return "", note, err
}

// evidence is the text in which two may differ. Titles that are one but for their writing differ in nothing.
func evidence(claim wiki.Claim, a wiki.Article) string {
	if claim.Signal == wiki.DriftTitle {
		return a.Body
	}
	return embedding.ArticleText(a.Title, a.Body)
}

// stillClaimed asks the rule again, of the two as they are now.
func stillClaimed(claim wiki.Claim, member, winner wiki.Article) bool {
	for _, a := range []wiki.Article{member, winner} {
		if a.Status != wiki.StatusPublished || a.Suppressed() {
			return false
		}
	}
	for _, g := range wiki.CopyGroups([]wiki.Capture{captureOf(member), captureOf(winner)}) {
		if g.Signal == claim.Signal && g.Digest == claim.Digest && g.Winner().ID == claim.Winner {
			return true
		}
	}
	return false
}

func captureOf(a wiki.Article) wiki.Capture {
	_, owner := wiki.VisibilityOf(a.Metadata, a.CreatedBy.Principal)
	return wiki.Capture{ID: a.ID, Title: a.Title, Key: a.IdempotencyKey, Owner: owner, InsertedAt: a.InsertedAt}
}
