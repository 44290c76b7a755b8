package nightly

import (
	"context"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Lint is the consumer that says what a curator may want to look at: stale and lone articles, contradictions that links
// state, and categories that hold next to nothing (facts §7). It does nothing about them, so that all it finds is withheld.
func Lint(db *postgres.DB) Consumer {
	return Consumer{
		Name: "lint", Does: "says what a curator may want to look at",
		Budget: wiki.NightBudget{Count: 1, Time: 2 * time.Minute}, Batch: wiki.LintListed,
		RunOnce: func(ctx context.Context, b Batch) (done Done, err error) {
			err = db.HeavyRead(ctx, b.Actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
				done, err = lint(ctx, tx, b)
				return err
			})
			return done, err
		},
	}
}

func lint(ctx context.Context, tx postgres.Tx, b Batch) (Done, error) {
	var done Done
	contradicting, err := articles.Contradicting(ctx, tx, b.Actor)
	if err != nil {
		return done, err
	}
	covered, err := articles.Covered(ctx, tx, b.Actor)
	if err != nil {
		return done, err
	}
	stale, staleAll, err := articles.Stale(ctx, tx, b.Actor, tx.Now.Add(-wiki.LintStaleAfter), b.Look)
	if err != nil {
		return done, err
	}
	alone, aloneAll, err := articles.Alone(ctx, tx, b.Actor, b.Look)
	if err != nil {
		return done, err
	}
	clusters := wiki.Clusters(contradicting)
	for _, cluster := range clusters[:min(len(clusters), b.Look)] {
		done.find(wiki.LintIssue{Kind: wiki.LintContradiction, Articles: cluster})
	}
	for _, c := range wiki.Categories {
		if covered[c] < wiki.LintCoverage {
			done.find(wiki.LintIssue{Kind: wiki.LintCoverageGap, Category: c})
		}
	}
	gaps := len(done.Items) - min(len(clusters), b.Look)
	for _, id := range stale {
		done.find(wiki.LintIssue{Kind: wiki.LintStale, Articles: []uuid.UUID{id}})
	}
	for _, id := range alone {
		done.find(wiki.LintIssue{Kind: wiki.LintOrphan, Articles: []uuid.UUID{id}})
	}
	all := len(clusters) + gaps + staleAll + aloneAll
	done.Tally = wiki.Tally{Offered: all, Withheld: all}
	done.Looked = all
	return done, nil
}

func (d *Done) find(issue wiki.LintIssue) {
	subject := string(issue.Category)
	if len(issue.Articles) > 0 {
		subject = issue.Articles[0].String() // of a cluster the first: its links lead to the others
	}
	d.Items = append(d.Items, Item{Subject: subject, Outcome: Withheld, Code: issue.Kind, Note: issue.Suggestion()})
}
