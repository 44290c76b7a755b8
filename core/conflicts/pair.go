package conflicts

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Detail is one conflict with all that a judge needs.
type Detail struct {
	Conflict Conflict
	First    Document
	Second   Document
	Flags    []wiki.Flag
	History  []Verdict // newest first, withdrawn and reverted ones too
	Withheld int       // verdicts that the actor is not shown before its own (blind review)
}

// Document is an article with its body and the links that the caller can see both ends of.
type Document struct {
	wiki.Article
	Outgoing, Incoming []articles.Edge
}

// Pair gives one conflict. One of which the actor cannot see both articles does not exist.
func (s Service) Pair(ctx context.Context, actor wiki.Actor, pair wiki.Pair) (Detail, error) {
	var d Detail
	err := s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) (err error) {
		if d.Conflict, err = one(ctx, tx, actor, pair); err != nil {
			return err
		}
		both, err := articles.GetMany(ctx, tx, actor, pair.IDs())
		if err != nil {
			return err
		}
		d.First.Article, d.Second.Article = both[pair.First], both[pair.Second]
		for _, page := range []*Document{&d.First, &d.Second} {
			if page.Outgoing, page.Incoming, err = articles.Links(ctx, tx, actor, page.ID); err != nil {
				return err
			}
		}
		all, err := flags.Read(ctx, tx, actor.Tenant, pair)
		if err != nil {
			return err
		}
		d.Flags = all.Flags
		shown, err := shownOf(ctx, tx, actor, pair)
		if err != nil {
			return err
		}
		for _, v := range all.Verdicts {
			if !shown[v.ID] {
				d.Withheld++
				continue
			}
			d.History = append(d.History, *describe(actor, v, d.First.Title, d.Second.Title))
		}
		return nil
	})
	if err != nil {
		return Detail{}, err
	}
	return d, nil
}

// one reads a conflict as the queue shows it.
func one(ctx context.Context, tx postgres.Tx, actor wiki.Actor, pair wiki.Pair) (Conflict, error) {
	rows, err := tx.Query(ctx, oneSQL, args(actor, pgx.NamedArgs{
		"first_id": pair.First, "second_id": pair.Second, "now": tx.Now, "heat_from": tx.Now.Add(-flags.HeatWindow),
	}))
	if err != nil {
		return Conflict{}, fmt.Errorf("conflicts: read the pair: %w", err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, scanConflict(actor))
	if errors.Is(err, pgx.ErrNoRows) {
		return Conflict{}, wiki.NotFound()
	}
	if err != nil {
		return Conflict{}, fmt.Errorf("conflicts: read the pair: %w", err)
	}
	items, err := withVerdicts(ctx, tx, actor, []found{row})
	if err != nil {
		return Conflict{}, err
	}
	return items[0], nil
}
