package articles

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Limits of a listing (facts §3.1).
const (
	DefaultLimit  = 20
	MaxLimit      = 1000
	MaxPageBytes  = 5_000_000 // of bodies in one page; the page ends early with a cursor to go on
	maxListOffset = 1_000_000
)

// Filter narrows a listing; zero fields do not. Suppressed articles are left out unless asked for. Below orchestrator a
// listing holds no drafts but the actor's own.
type Filter struct {
	Category       wiki.Category
	Status         wiki.Status
	Tags           []string // any of them, or all with AllTags
	AllTags        bool
	SourceType     string
	SourceID       *uuid.UUID
	IdempotencyKey string
	Project        *uuid.UUID
	Title          string // exact
	Suppressed     *bool  // nil or false = without suppressed articles, true = those alone
	IncludeBody    bool
	Limit          int    // default DefaultLimit, at most MaxLimit
	Offset         int    // rows to skip; for paging by number, which writes in between disturb
	Cursor         string // Next of the page before; no write in between makes a row come twice or not at all
}

// Page is one page of a listing, newest first. The order is by what never changes, so that a cursor keeps its place.
type Page struct {
	Articles []wiki.Article
	Total    int    // articles that match, on all pages
	Next     string // cursor of the next page; empty on the last
}

var matching = ` from articles a where ` + own + ` and ` + visible + `
  and (@category = '' or a.category = @category) and (@status = '' or a.status = @status)
  and (cardinality(@tags::text[]) = 0 or a.tags && @tags and (not @all_tags or a.tags @> @tags)) and (@source_type = '' or a.source_type = @source_type)
  and (@source_id::uuid is null or a.source_id = @source_id) and (@key = '' or a.idempotency_key = @key)
  and (@project::uuid is null or a.project_id = @project) and (@title = '' or a.title = @title)
  and (a.suppressed_at is not null) = @suppressed
  and (a.status <> 'draft' or @sees_drafts or a.created_by->>'principal' = @principal)`

var (
	countSQL = `select count(*)` + matching
	listSQL  = `select ` + head + `case when @with_body then a.body else '' end` + tail + matching + `
  and (@after_at::timestamptz is null or (a.inserted_at, a.id) < (@after_at, @after_id))
order by a.inserted_at desc, a.id desc limit @limit offset @offset`
)

// List gives a page of the articles that the actor may see. Errors: CodeInvalid on the field at fault, CodeForbidden for
// an agent that asks for drafts.
func List(ctx context.Context, tx postgres.Tx, actor wiki.Actor, f Filter) (Page, error) {
	args, err := f.args(actor)
	if err != nil {
		return Page{}, err
	}
	var page Page
	if err := tx.QueryRow(ctx, countSQL, args).Scan(&page.Total); err != nil {
		return Page{}, fmt.Errorf("articles: count: %w", err)
	}
	rows, err := tx.Query(ctx, listSQL, args)
	if err != nil {
		return Page{}, fmt.Errorf("articles: list: %w", err)
	}
	defer rows.Close()
	limit, bytes := args["limit"].(int)-1, 0
	for rows.Next() {
		if len(page.Articles) == limit || bytes > MaxPageBytes {
			page.Next = cursorOf(page.Articles[len(page.Articles)-1])
			break
		}
		a, err := scanArticle(rows)
		if err != nil {
			return Page{}, fmt.Errorf("articles: list: %w", err)
		}
		bytes += len(a.Body)
		page.Articles = append(page.Articles, a)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return Page{}, fmt.Errorf("articles: list: %w", err)
	}
	return page, nil
}

func (f Filter) args(actor wiki.Actor) (pgx.NamedArgs, error) {
	limit, err := pageLimit(f.Limit)
	if err != nil {
		return nil, err
	}
	if f.Offset < 0 || f.Offset > maxListOffset {
		return nil, wiki.Invalid("offset", "offset must be between 0 and %d", maxListOffset)
	}
	if f.Status == wiki.StatusDraft {
		if err := actor.Require(wiki.RoleOrchestrator); err != nil {
			return nil, err
		}
	}
	for _, field := range [][2]string{
		{"category", string(f.Category)},
		{"status", string(f.Status)},
		{"source_type", f.SourceType},
		{"idempotency_key", f.IdempotencyKey},
		{"title", f.Title},
		{"tags", strings.Join(f.Tags, ",")},
	} {
		if _, err := wiki.CleanText(field[0], field[1]); err != nil {
			return nil, err
		}
	}
	at, id, err := parseCursor(f.Cursor)
	if err != nil {
		return nil, err
	}
	tags := f.Tags
	if tags == nil {
		tags = []string{}
	}
	return with(actor, pgx.NamedArgs{
		"category": f.Category, "status": f.Status, "tags": tags, "all_tags": f.AllTags, "source_type": f.SourceType, "source_id": f.SourceID,
		"key": f.IdempotencyKey, "project": f.Project, "title": f.Title, "suppressed": f.Suppressed != nil && *f.Suppressed,
		"sees_drafts": actor.Role >= wiki.RoleOrchestrator, "principal": actor.Principal(), "with_body": f.IncludeBody,
		"after_at": at, "after_id": id, "limit": limit + 1, "offset": f.Offset, // one more tells whether there is a next page
	}), nil
}

// pageLimit gives how many rows a page has that asks for n, 0 for the default. The error is CodeInvalid on "limit".
func pageLimit(n int) (int, error) {
	if n == 0 {
		return DefaultLimit, nil
	}
	if n < 0 || n > MaxLimit {
		return 0, wiki.Invalid("limit", "limit must be between 1 and %d", MaxLimit)
	}
	return n, nil
}

func cursorOf(a wiki.Article) string { return encodeCursor(a.InsertedAt, a.ID) }

func encodeCursor(at time.Time, id uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + "." + id.String()))
}

// parseCursor reads a cursor of a time and an id; an empty one is none. The error is CodeInvalid on "cursor".
func parseCursor(cursor string) (*time.Time, uuid.UUID, error) {
	if cursor == "" {
		return nil, uuid.Nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	micros, id, _ := strings.Cut(string(raw), ".")
	number, err2 := strconv.ParseInt(micros, 10, 64)
	parsed, err3 := uuid.Parse(id)
	if err != nil || err2 != nil || err3 != nil {
		return nil, uuid.Nil, wiki.Invalid("cursor", "the cursor is not one that a page gave; start without one")
	}
	at := time.UnixMicro(number).UTC()
	return &at, parsed, nil
}
