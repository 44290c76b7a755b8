package eval

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/access"
	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Bench is where sets are measured. All fields are required. The embedder has to be the model that Record's vectors are of.
type Bench struct {
	DB       *postgres.DB
	Access   *access.Service
	Record   record.Service
	Embedder embedding.Embedder
}

const (
	// seedBatch documents are embedded and stored at a time: enough to keep the model busy, few enough to stop soon.
	seedBatch = 32
	// tenantPrefix begins the slug of a throwaway tenant.
	tenantPrefix = "eval-"
	// deleteTimeout bounds the deletion of a throwaway tenant, which goes on when the measurement is stopped.
	deleteTimeout = 5 * time.Minute
)

// Loaded is a set that stands in a tenant.
type Loaded struct {
	set      Set
	actor    wiki.Actor
	db       *postgres.DB
	embedder embedding.Embedder
	ids      map[string]uuid.UUID
	names    map[uuid.UUID]string
}

// With loads a set into a throwaway tenant, runs work on it, and deletes the tenant with all that is in it, also when work
// fails or ctx ends. show, which may be nil, is told how the loading goes on.
func (b Bench) With(ctx context.Context, set Set, show func(Progress), work func(context.Context, *Loaded) error) (err error) {
	slug := tenantPrefix + uuid.NewString()
	tenant, err := b.Access.CreateTenant(ctx, access.Operator(uuid.Nil), access.NewTenant{Slug: slug, Name: "throwaway of wiki-server eval"})
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
		defer cancel()
		if gone := b.drop(ctx, tenant); err == nil {
			err = gone
		}
	}()
	l := &Loaded{
		set: set, actor: access.Operator(tenant.ID), db: b.DB, embedder: b.Embedder,
		ids: map[string]uuid.UUID{}, names: map[uuid.UUID]string{},
	}
	if err := b.load(ctx, l, show); err != nil {
		return err
	}
	return work(ctx, l)
}

func (b Bench) load(ctx context.Context, l *Loaded, show func(Progress)) error {
	m := newMeter(len(l.set.Documents), show)
	for from := 0; from < len(l.set.Documents); from += seedBatch {
		part := l.set.Documents[from:min(from+seedBatch, len(l.set.Documents))]
		if err := b.store(ctx, l, part); err != nil {
			return stopped(ctx, err)
		}
		m.step(len(part))
	}
	err := b.DB.Tenant(ctx, l.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for _, link := range l.set.Links {
			edge := wiki.Link{ID: tx.NewID(), Source: l.ids[link.From], Target: l.ids[link.To], Relation: link.Relation}
			if _, err := articles.InsertLink(ctx, tx, l.actor.Tenant, edge); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("link the documents: %w", err)
	}
	return b.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, analyzeSQL)
		return err
	})
}

// analyzeSQL lets the planner see what was loaded at once, as it would see a corpus that grew.
const analyzeSQL = `analyze articles, keyword_docs, article_embeddings, article_links`

// store writes documents through the one write door, each published, and then sets the columns that no request can write.
func (b Bench) store(ctx context.Context, l *Loaded, part []Document) error {
	texts := make([]string, len(part))
	for i, d := range part {
		texts[i] = embedding.ArticleText(d.Title, d.Body)
	}
	vectors, err := b.Embedder.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed the documents: %w", err)
	}
	made := make([]wiki.Article, len(part))
	err = b.DB.Tenant(ctx, l.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for i, d := range part {
			doc := record.Embedded{Document: &vectors[i], Hash: wiki.ContentHash(d.Title, d.Body)}
			if made[i], err = b.Record.Create(ctx, tx, l.actor, d.article(), doc, record.CreateOptions{}); err != nil {
				return fmt.Errorf("store the document %s: %w", d.ID, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		for i, d := range part {
			l.ids[d.ID], l.names[made[i].ID] = made[i].ID, d.ID
			changed, touched := daysBefore(tx.Now, d.ChangedDays), daysBefore(tx.Now, d.TouchedDays)
			if _, err := tx.Exec(ctx, datesSQL, made[i].ID, l.actor.Tenant, changed, touched, d.ReadDays); err != nil {
				return fmt.Errorf("date the document %s: %w", d.ID, err)
			}
		}
		return nil
	})
}

const datesSQL = `update articles set content_changed_at = $3, updated_at = $4, read_day_count = $5 where id = $1 and tenant_id = $2`

func daysBefore(now time.Time, days int) time.Time { return now.AddDate(0, 0, -days) }

func (d Document) article() wiki.Article {
	category := d.Category
	if category == "" {
		category = "finding"
	}
	return wiki.Article{
		Title: d.Title, Body: d.Body, Category: category, Tags: d.Tags, Status: wiki.StatusPublished,
		SourceType: d.SourceType, IdempotencyKey: d.IdempotencyKey,
	}
}

const (
	noTimeoutSQL = `set local statement_timeout = 0`
	// dropSQL asks for the slug too: it can delete no tenant but one that was made here.
	dropSQL = `delete from tenants where id = $1 and slug = $2`
)

func (b Bench) drop(ctx context.Context, t access.Tenant) error {
	err := b.DB.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, noTimeoutSQL); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, dropSQL, t.ID, t.Slug)
		return err
	})
	if err != nil {
		return &wiki.Error{
			Code: wiki.CodeUnavailable, Message: "the throwaway tenant " + t.Slug + " could not be deleted", Err: err,
			Remedy: "delete its row from the table tenants; what it holds goes with it",
		}
	}
	return nil
}
