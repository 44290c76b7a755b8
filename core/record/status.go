package record

import (
	"context"
	"maps"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Publish makes a draft readable and ranked. Role orchestrator; CodeTransition for what is not a draft.
func (s Service) Publish(ctx context.Context, actor wiki.Actor, id uuid.UUID, actKey string) (wiki.Article, error) {
	return s.move(ctx, actor, id, wiki.StatusPublished, wiki.RoleOrchestrator, "",
		act{name: "article.publish", event: "article.published", key: actKey})
}

// Unpublish makes a published or superseded article a draft again; Publish undoes it. Role user.
func (s Service) Unpublish(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	return s.move(ctx, actor, id, wiki.StatusDraft, wiki.RoleUser, reason,
		act{name: "article.unpublish", event: "article.unpublished", key: actKey})
}

// Archive retires an article. The row stays and nothing is destroyed, yet no agent can bring it back (seed, invariant 4).
func (s Service) Archive(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	return s.move(ctx, actor, id, wiki.StatusArchived, wiki.RoleAgent, reason,
		act{name: "article.archive", event: "article.archived", key: actKey})
}

// Delete is the soft delete: Archive under the name that the caller asked for.
func (s Service) Delete(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	return s.move(ctx, actor, id, wiki.StatusArchived, wiki.RoleAgent, reason,
		act{name: "article.delete", event: "article.archived", key: actKey})
}

// move is a workflow verb: it never leaves archived, whoever asks.
func (s Service) move(ctx context.Context, actor wiki.Actor, id uuid.UUID, to wiki.Status, least wiki.Role, reason string, what act) (wiki.Article, error) {
	if err := actor.Require(least); err != nil {
		return wiki.Article{}, err
	}
	var err error
	if what.reason, err = wiki.CleanReason(reason, false); err != nil {
		return wiki.Article{}, err
	}
	return s.change(ctx, actor, id, edit{act: what, apply: func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		if err := wiki.CheckTransition(actor, stored.Status, to, false); err != nil {
			return stored, err
		}
		stored.Status = to
		return stored, nil
	}})
}

// eventOf names the event of a status that was entered.
var eventOf = map[wiki.Status]string{
	wiki.StatusPublished: "article.published", wiki.StatusDraft: "article.unpublished",
	wiki.StatusArchived: "article.archived", wiki.StatusSuperseded: "article.superseded",
}

// SetStatus moves an article inside the caller's transaction, for what a verdict or its reversal decides: it may become
// superseded and come back from there, or be published from draft and become one again. Who may decide that is the caller's to
// check.
func (s Service) SetStatus(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, to wiki.Status, reason string) (wiki.Article, error) {
	e := edit{act: act{name: "article.status", event: eventOf[to], reason: reason}}
	e.apply = decided(to)
	return s.changeIn(ctx, tx, actor, id, e)
}

func decided(to wiki.Status) func(context.Context, postgres.Tx, wiki.Article) (wiki.Article, error) {
	return func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
		if err := wiki.CheckDecided(stored.Status, to); err != nil {
			return stored, err
		}
		stored.Status = to
		return stored, nil
	}
}

// Marks are what a change of status takes from an article beside its status, so that its reversal can give them back.
type Marks struct {
	Version       int        `json:"version"` // after the change that took them
	CuratedAt     *time.Time `json:"curated_at,omitempty"`
	CuratedBy     string     `json:"curated_by,omitempty"`
	StagedDraftAt *time.Time `json:"staged_draft_at,omitempty"`
}

// MarksOf gives the marks of an article before a change, and the version that the change made.
func MarksOf(before, after wiki.Article) Marks {
	return Marks{Version: after.Version, CuratedAt: before.CuratedAt, CuratedBy: before.CuratedBy, StagedDraftAt: before.StagedDraftAt}
}

// GiveBack is the reversal of a SetStatus, inside the caller's transaction: the status that was, with the marks that were
// lost by it. Zero marks give nothing back. It is no way to curate: the marks come from what MarksOf kept.
func (s Service) GiveBack(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, to wiki.Status, marks Marks, reason string) (wiki.Article, error) {
	e := edit{act: act{name: "article.status", event: eventOf[to], reason: reason}, finish: func(a *wiki.Article) {
		if marks.Version != 0 {
			a.CuratedAt, a.CuratedBy, a.StagedDraftAt = marks.CuratedAt, marks.CuratedBy, marks.StagedDraftAt
		}
	}}
	e.apply = decided(to)
	return s.changeIn(ctx, tx, actor, id, e)
}

// StepBack makes an article that was just published a draft, inside the caller's transaction, and keeps in its metadata what
// the gate found: it turned out to be near to another one. No caller asked for this draft, so it is not staged.
func (s Service) StepBack(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, novelty map[string]any, reason string) (wiki.Article, error) {
	return s.changeIn(ctx, tx, actor, id, edit{
		act: act{name: "article.step_back", event: eventOf[wiki.StatusDraft], reason: reason},
		apply: func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
			if err := wiki.CheckDecided(stored.Status, wiki.StatusDraft); err != nil {
				return stored, err
			}
			stored.Metadata = maps.Clone(stored.Metadata)
			stored.Status, stored.Metadata[wiki.MetaProposalNovelty] = wiki.StatusDraft, novelty
			return stored, nil
		},
		finish: func(a *wiki.Article) { a.StagedDraftAt = nil },
	})
}

// RetractCopy makes a published article a draft inside the caller's transaction, since another one says the same: unpublished
// and never archived, so that one act brings it back (seed, invariant 4). The mark that it leaves keeps it from being
// retracted a second time. Whether it is a copy is the caller's to know.
func (s Service) RetractCopy(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, of wiki.Article, detail map[string]any) (wiki.Article, error) {
	facts := map[string]any{"copy_of": of.ID}
	maps.Copy(facts, detail)
	a, err := s.changeIn(ctx, tx, actor, id, edit{
		act: act{name: "article.retract_copy", event: eventOf[wiki.StatusDraft], reason: clipReason("a copy of " + of.Title), detail: facts},
		apply: func(_ context.Context, _ postgres.Tx, stored wiki.Article) (wiki.Article, error) {
			if stored.Status != wiki.StatusPublished {
				return stored, wiki.CheckDecided(stored.Status, wiki.StatusDraft)
			}
			stored.Status = wiki.StatusDraft
			return stored, nil
		},
	})
	if err != nil {
		return a, err
	}
	return a, articles.MarkRetracted(ctx, tx, actor.Tenant, id)
}

// Suppress hides an article from every ranked read. It says nothing about the status, needs a reason, and Unsuppress undoes
// it; the article stays readable by its id (seed, invariant 4). CodeTransition when it is suppressed already.
func (s Service) Suppress(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	reason, err := wiki.CleanReason(reason, true)
	if err != nil {
		return wiki.Article{}, err
	}
	what := act{name: "article.suppress", event: "article.suppressed", key: actKey, reason: reason}
	return s.mark(ctx, actor, id, what, func(tx postgres.Tx, a *wiki.Article) error {
		if a.Suppressed() {
			return wiki.Errorf(wiki.CodeTransition, "the article is suppressed already, by %s: %s", a.SuppressedBy, a.SuppressionReason)
		}
		a.SuppressedAt, a.SuppressedBy, a.SuppressionReason = &tx.Now, actor.Principal(), reason
		return nil
	})
}

// Unsuppress lifts a suppression. CodeTransition when there is none.
func (s Service) Unsuppress(ctx context.Context, actor wiki.Actor, id uuid.UUID, reason, actKey string) (wiki.Article, error) {
	reason, err := wiki.CleanReason(reason, false)
	if err != nil {
		return wiki.Article{}, err
	}
	what := act{name: "article.unsuppress", event: "article.unsuppressed", key: actKey, reason: reason}
	return s.mark(ctx, actor, id, what, func(_ postgres.Tx, a *wiki.Article) error {
		if !a.Suppressed() {
			return wiki.Errorf(wiki.CodeTransition, "the article is not suppressed")
		}
		a.SuppressedAt, a.SuppressedBy, a.SuppressionReason = nil, "", ""
		return nil
	})
}

// mark sets what people say of an article beside its text, as one act.
func (s Service) mark(ctx context.Context, actor wiki.Actor, id uuid.UUID, what act, set func(postgres.Tx, *wiki.Article) error) (a wiki.Article, err error) {
	err = s.DB.Act(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		var found bool
		if a, found, err = replayed(ctx, tx, actor, what.key, what.name, id); err != nil || found {
			return err
		}
		if a, err = articles.Lock(ctx, tx, actor, id); err != nil {
			return err
		}
		was := a.SuppressionReason
		if err = set(tx, &a); err != nil {
			return err
		}
		detail := map[string]any{"reason": what.reason}
		if was != "" && !a.Suppressed() {
			detail["was"] = was // lifting it must not lose why it was there
		}
		if a, err = articles.SetMarks(ctx, tx, a); err != nil {
			return err
		}
		return note(ctx, tx, actor, a, what, detail)
	})
	return a, err
}
