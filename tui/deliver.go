package tui

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/outbox"
)

// Judge is what delivering acts asks of the server; the Go client has it.
type Judge interface {
	Judge(ctx context.Context, v api.NewVerdict, actKey string) (api.Verdict, error)
	Withdraw(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error)
	Revert(ctx context.Context, verdict uuid.UUID, actKey string) (api.Verdict, error)
	Execute(ctx context.Context, actKey string) (api.Executed, error)

	ApproveProposal(ctx context.Context, id uuid.UUID, in api.Approval, actKey string) (api.BulkRun, api.Meta, error)
	ExecuteProposal(ctx context.Context, id uuid.UUID) (api.BulkRun, api.Meta, error)
	RejectProposal(ctx context.Context, id uuid.UUID, reason, actKey string) (api.BulkProposal, error)
	WithdrawProposal(ctx context.Context, id uuid.UUID, reason, actKey string) (api.BulkProposal, error)

	Suppress(ctx context.Context, id uuid.UUID, reason, actKey string) (api.Article, error)
	Unsuppress(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error)

	Publish(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error)
	Unpublish(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error)
	Archive(ctx context.Context, id uuid.UUID, actKey string) (api.Article, error)

	AdoptDrift(ctx context.Context, drift uuid.UUID, actKey string) (api.Article, error)
	DismissDrift(ctx context.Context, drift uuid.UUID, actKey string) (api.Article, error)
	Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error)
	Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error)
	Update(ctx context.Context, id uuid.UUID, ifMatch int, p api.ArticlePatch, actKey string) (api.Article, error)
}

// Deliver sends acts of the outbox to the server.
func Deliver(j Judge) outbox.Deliver {
	return func(ctx context.Context, a outbox.Act, verdict uuid.UUID) (outbox.Result, error) {
		if a.Subject != nil {
			return deliverAbout(ctx, j, a, *a.Subject)
		}
		var v api.Verdict
		var err error
		switch {
		case a.Kind == outbox.Judge && a.Verdict != nil:
			v, err = j.Judge(ctx, *a.Verdict, a.Key)
		case a.Kind == outbox.Withdraw:
			v, err = j.Withdraw(ctx, verdict, a.Key)
		case a.Kind == outbox.Revert:
			v, err = j.Revert(ctx, verdict, a.Key)
		case a.Kind == outbox.Execute:
			x, err := j.Execute(ctx, a.Key)
			return outbox.Result{Executed: &x}, err
		default:
			err = unknown(a)
		}
		return outbox.Result{Verdict: &v}, err
	}
}

// deliverAbout sends an act on something that is no pair.
func deliverAbout(ctx context.Context, j Judge, a outbox.Act, subject uuid.UUID) (outbox.Result, error) {
	var err error
	switch {
	case a.Kind == outbox.Approve && a.Approval != nil:
		return approve(ctx, j, a, subject)
	case a.Kind == outbox.Reject:
		_, err = j.RejectProposal(ctx, subject, a.Reason, a.Key)
	case a.Kind == outbox.Recall:
		_, err = j.WithdrawProposal(ctx, subject, a.Reason, a.Key)
	case a.Kind == outbox.Lift:
		_, err = j.Unsuppress(ctx, subject, a.Key)
	case a.Kind == outbox.Suppress:
		_, err = j.Suppress(ctx, subject, a.Reason, a.Key)
	case a.Kind == outbox.Adopt && a.Article != nil:
		return adopt(ctx, j, a, subject)
	case a.Kind == outbox.Drop:
		_, err = j.DismissDrift(ctx, subject, a.Key)
	case a.Kind == outbox.Restore && a.Version > 1:
		err = restore(ctx, j, a, subject)
	default:
		return deliverDraft(ctx, j, a, subject)
	}
	return outbox.Result{}, err
}

// deliverDraft sends an act on a draft.
func deliverDraft(ctx context.Context, j Judge, a outbox.Act, draft uuid.UUID) (outbox.Result, error) {
	var made api.Article
	var err error
	switch {
	case a.Kind == outbox.Publish:
		_, err = j.Publish(ctx, draft, a.Key)
	case a.Kind == outbox.Unpublish:
		_, err = j.Unpublish(ctx, draft, a.Key)
	case a.Kind == outbox.Discard:
		_, err = j.Archive(ctx, draft, a.Key)
	case a.Kind == outbox.Reopen:
		status := string(wiki.StatusDraft)
		_, err = j.Update(ctx, draft, 0, api.ArticlePatch{Status: &status, Reason: "taken back: " + a.What}, a.Key)
	case a.Kind == outbox.Edit && a.Patch != nil:
		if made, err = j.Update(ctx, draft, a.Version, *a.Patch, a.Key); made.Version == a.Version {
			made.Version = 0 // it says so already
		}
	default:
		err = unknown(a)
	}
	return outbox.Result{Made: made.Version}, err
}

func unknown(a outbox.Act) error {
	return wiki.Errorf(wiki.CodeInvalid, "this release does not know the act %q", a.Kind)
}

// approve carries a proposal out to its end: a large one takes several calls. When another call carries the rest on, what was
// done so far is the answer; any other failure is tried again from the approval, which answers a repeat with the same run.
func approve(ctx context.Context, j Judge, a outbox.Act, proposal uuid.UUID) (outbox.Result, error) {
	run, meta, err := j.ApproveProposal(ctx, proposal, *a.Approval, a.Key)
	for err == nil && run.Left > 0 {
		var next api.BulkRun
		var counted api.Meta
		next, counted, err = j.ExecuteProposal(ctx, proposal)
		if code := wiki.ErrorCode(err); code == wiki.CodeClaimed || code == wiki.CodeTransition {
			err = nil
			break
		}
		if err == nil {
			run, meta = next, counted
		}
	}
	if err != nil {
		return outbox.Result{}, err
	}
	return outbox.Result{Run: &run, Counts: meta.Counts}, nil
}

// adopt makes a submission the article's next version. Which version that is tells undo what to take back: a submission that
// the article says already makes none.
func adopt(ctx context.Context, j Judge, a outbox.Act, submission uuid.UUID) (outbox.Result, error) {
	before, err := j.Versions(ctx, *a.Article)
	if err != nil {
		return outbox.Result{}, err
	}
	article, err := j.AdoptDrift(ctx, submission, a.Key)
	if err != nil || len(before) == 0 || article.Version == before[0].Version {
		return outbox.Result{}, err
	}
	return outbox.Result{Made: article.Version}, nil
}

// restore makes the text before a version the newest one, unless something was changed since.
func restore(ctx context.Context, j Judge, a outbox.Act, article uuid.UUID) error {
	v, err := j.Version(ctx, article, a.Version-1)
	if err != nil {
		return err
	}
	_, err = j.Update(ctx, article, a.Version, api.ArticlePatch{Title: &v.Title, Body: v.Body, Reason: "taken back: " + a.What}, a.Key)
	return err
}
