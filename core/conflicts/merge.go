package conflicts

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strconv"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// titleTries bounds the search for a free title of a draft.
const titleTries = 20

// ahead is what is made of a merge before its transaction, so that no transaction waits for a model.
type ahead struct {
	text     merged
	embedded record.Embedded
}

// mergeAhead makes the draft's text and vector for a merge. What stands in the way of it is for the transaction to say;
// without a vector the draft is saved and waits for one. Two executors at once may both ask for one merge; one is done.
func (s Service) mergeAhead(ctx context.Context, actor wiki.Actor, o Outcome) ahead {
	var lead, other wiki.Article
	var draft *wiki.Article
	err := s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		v, err := byID(ctx, tx, actor, o.Verdict)
		if err != nil || v.ExecutedAt != nil || !v.Executable() {
			return err
		}
		both, err := articles.GetMany(ctx, tx, actor, o.Pair.IDs())
		if err != nil || len(both) != 2 {
			return err
		}
		lead, other = both[o.Pair.First], both[o.Pair.Second]
		if *v.Authoritative == other.ID {
			lead, other = other, lead
		}
		draft, err = s.draft(ctx, tx, actor, v.Verdict, lead, other)
		return err
	})
	if err != nil || draft == nil {
		return ahead{}
	}
	made := ahead{text: s.compose(ctx, lead, other)}
	if made.embedded, err = record.Embed(ctx, s.Record.Embedder, draft.Title, made.text.body); err != nil {
		slog.InfoContext(ctx, "a merged draft is saved without a vector for now", "verdict", o.Verdict, "reason", err)
	}
	return made
}

// merge makes a draft of both and retires neither. Publishing the draft is a person's act.
func (s Service) merge(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, lead, other wiki.Article, made ahead) (map[string]any, error) {
	draft, err := s.draft(ctx, tx, actor, v, lead, other)
	if err != nil {
		return nil, err
	}
	text := made.text
	if text.of != editions(lead, other) {
		text = structural(lead, other, "")
		if s.LLM != nil {
			text = structural(lead, other, "the pages are no longer those that the language model had")
		}
	}
	if len(text.body) > wiki.MaxBodyBytes {
		return nil, wiki.Invalid("body", "the merged text would have %d bytes; at most %d are allowed", len(text.body), wiki.MaxBodyBytes)
	}
	draft.Body = text.body
	maps.Copy(draft.Metadata, text.how)
	detail := map[string]any{"verdict": v.ID, "merged_from": []string{lead.ID.String(), other.ID.String()}}
	maps.Copy(detail, text.how)
	stored, err := s.Record.Create(ctx, tx, actor, *draft, made.embedded, record.CreateOptions{Detail: detail})
	if err != nil {
		return nil, err
	}
	for _, from := range []wiki.Article{lead, other} {
		link := wiki.Link{ID: tx.NewID(), Source: stored.ID, Target: from.ID, Relation: wiki.RelDerivedFrom, Metadata: map[string]any{"verdict": v.ID.String()}}
		if _, err := articles.InsertLink(ctx, tx, actor.Tenant, link); err != nil {
			return nil, err
		}
	}
	result := map[string]any{resultDraft: stored.ID}
	maps.Copy(result, text.how)
	return result, nil
}

// draft is what becomes of the two, without a body, under a title that is free. A draft of which one side is private is
// private to whoever merges: both sides' owners would else read the other's text.
func (s Service) draft(ctx context.Context, tx postgres.Tx, actor wiki.Actor, v wiki.Verdict, lead, other wiki.Article) (*wiki.Article, error) {
	metadata := map[string]any{"merged_from": []string{lead.ID.String(), other.ID.String()}, "merge_verdict": v.ID.String()}
	owner := ""
	for _, side := range []wiki.Article{lead, other} {
		if visibility, _ := wiki.VisibilityOf(side.Metadata, side.CreatedBy.Principal); visibility == wiki.VisibilityPrivate {
			metadata["visibility"], metadata["agent_id"], owner = string(wiki.VisibilityPrivate), actor.Principal(), actor.Principal()
		}
	}
	title, err := freeTitle(ctx, tx, actor, lead.Title, owner)
	if err != nil {
		return nil, err
	}
	return &wiki.Article{
		Title: title, Category: lead.Category, Project: lead.Project, Status: wiki.StatusDraft,
		Tags: wiki.MergeTags(lead.Tags, other.Tags), StagedDraftAt: &tx.Now, Metadata: metadata,
	}, nil
}

func freeTitle(ctx context.Context, tx postgres.Tx, actor wiki.Actor, lead, owner string) (string, error) {
	for n := 1; n <= titleTries; n++ {
		suffix := " (merged)"
		if n > 1 {
			suffix = " (merged " + strconv.Itoa(n) + ")"
		}
		runes := []rune(lead)
		title := string(runes[:min(len(runes), wiki.MaxTitleRunes-len(suffix))]) + suffix
		_, err := articles.ByTitle(ctx, tx, actor, title, owner)
		if wiki.ErrorCode(err) == wiki.CodeNotFound {
			return title, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("conflicts: no free title for a merge with %q after %d tries", lead, titleTries)
}
