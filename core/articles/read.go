package articles

import (
	"context"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	visible = postgres.VisibleTo("a")
	own     = postgres.Own("a")

	getSQL    = `select ` + columns + ` from articles a where a.id = any (@ids) and ` + visible
	titlesSQL = `select a.id, a.title from articles a where a.id = any (@ids) and ` + visible

	lockSQL = `select ` + columns + ` from articles a where a.id = @id and ` + own + ` and ` + visible + ` for no key update`

	// An owner of '' means the shared articles. The namespaces are those of the unique indexes, so that what a lookup
	// misses cannot collide either.
	byTitleSQL = `select ` + columns + ` from articles a
where ` + own + ` and a.title = @title and coalesce(a.owner_agent, '') = @owner
  and a.status not in ('archived', 'superseded') and ` + visible

	byKeySQL = `select ` + columns + ` from articles a
where ` + own + ` and a.idempotency_key = @key
  and (a.owner_agent is null or a.owner_agent = @owner or a.owner_agent = any (@viewer_names)) and ` + visible + `
order by coalesce(a.owner_agent, '') = @owner desc, a.inserted_at, a.id limit 1`

	byHashSQL = `select ` + columns + ` from articles a
where ` + own + ` and a.content_hash = @hash and (a.owner_agent is null or a.owner_agent = @owner) and ` + visible + ` and ` + postgres.Ranked("a") + `
order by a.inserted_at, a.id limit 1`
)

// with gives a query's arguments for a viewer.
func with(actor wiki.Actor, args pgx.NamedArgs) pgx.NamedArgs {
	maps.Copy(args, postgres.Viewer(actor))
	return args
}

// Get gives one article by id, suppressed ones too; NotFound when there is none that the actor may see.
func Get(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (wiki.Article, error) {
	rows, err := tx.Query(ctx, getSQL, with(actor, pgx.NamedArgs{"ids": []uuid.UUID{id}}))
	return one(rows, err, "get", scanArticle)
}

// GetMany gives those of the articles that the actor may see, by id.
func GetMany(ctx context.Context, tx postgres.Tx, actor wiki.Actor, ids []uuid.UUID) (map[uuid.UUID]wiki.Article, error) {
	rows, err := tx.Query(ctx, getSQL, with(actor, pgx.NamedArgs{"ids": ids}))
	found, err := some(rows, err, "get many", scanArticle)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]wiki.Article, len(found))
	for _, a := range found {
		byID[a.ID] = a
	}
	return byID, nil
}

// Titles gives the titles of those of the articles that the actor may see, by id. Ids of other things have none.
func Titles(ctx context.Context, tx postgres.Tx, actor wiki.Actor, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := tx.Query(ctx, titlesSQL, with(actor, pgx.NamedArgs{"ids": ids}))
	titles := map[uuid.UUID]string{}
	var id uuid.UUID
	var title string
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&id, &title}, func() error {
			titles[id] = title
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("articles: read the titles: %w", err)
	}
	return titles, nil
}

// Lock is Get for a change: the row stays as it is until the transaction ends. System canon that the actor can read but
// not change is CodeSystemScope.
func Lock(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) (wiki.Article, error) {
	rows, err := tx.Query(ctx, lockSQL, with(actor, pgx.NamedArgs{"id": id}))
	a, err := one(rows, err, "lock", scanArticle)
	if wiki.ErrorCode(err) != wiki.CodeNotFound {
		return a, err
	}
	if a, err = Get(ctx, tx, actor, id); err != nil {
		return wiki.Article{}, err
	}
	if a.Scope == wiki.ScopeSystem {
		return wiki.Article{}, wiki.SystemScope()
	}
	return wiki.Article{}, wiki.NotFound() // it vanished between the two reads
}

// ByTitle gives the active article that stands under a title, among the shared ones or among an owner's private ones.
func ByTitle(ctx context.Context, tx postgres.Tx, actor wiki.Actor, title, owner string) (wiki.Article, error) {
	rows, err := tx.Query(ctx, byTitleSQL, with(actor, pgx.NamedArgs{"title": title, "owner": owner}))
	return one(rows, err, "by title", scanArticle)
}

// ByIdempotencyKey gives the article made under a capture's key, whatever became of it since.
func ByIdempotencyKey(ctx context.Context, tx postgres.Tx, actor wiki.Actor, key, owner string) (wiki.Article, error) {
	rows, err := tx.Query(ctx, byKeySQL, with(actor, pgx.NamedArgs{"key": key, "owner": owner}))
	return one(rows, err, "by idempotency key", scanArticle)
}

// ByContentHash gives the oldest published article with exactly this text (wiki.ContentHash), shared or the owner's own.
func ByContentHash(ctx context.Context, tx postgres.Tx, actor wiki.Actor, hash, owner string) (wiki.Article, error) {
	rows, err := tx.Query(ctx, byHashSQL, with(actor, pgx.NamedArgs{"hash": hash, "owner": owner}))
	return one(rows, err, "by content hash", scanArticle)
}

const projectSQL = `select exists (select from projects where tenant_id = $1 and id = $2)`

// CheckProject answers CodeInvalid for a project that is not the tenant's.
func CheckProject(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, project *uuid.UUID) error {
	if project == nil {
		return nil
	}
	var exists bool
	if err := tx.QueryRow(ctx, projectSQL, tenant, *project).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		return wiki.Invalid("project_id", "there is no such project")
	}
	return nil
}
