package conflicts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Limits of saved views.
const (
	MaxViews         = 50 // of one principal
	MaxViewNameRunes = 100
)

// View is a filter and order of the queue under a name (SPEC §5). Each principal has its own.
type View struct {
	Name      string
	Filter    Filter // without Limit and Cursor: those are of one reading
	UpdatedAt time.Time
}

// kept is a view's filter as it is stored.
type kept struct {
	State         wiki.ConflictState `json:"state"`
	Kind          string             `json:"kind,omitempty"`
	Category      wiki.Category      `json:"category,omitempty"`
	MinSimilarity float64            `json:"min_similarity,omitempty"`
	MaxSimilarity float64            `json:"max_similarity,omitempty"`
	By            string             `json:"by,omitempty"`
	Article       uuid.UUID          `json:"article_id,omitzero"`
	MinAgeHours   int                `json:"min_age_hours,omitempty"`
	MaxAgeHours   int                `json:"max_age_hours,omitempty"`
	Sort          Sort               `json:"sort"`
}

const (
	// One principal's saves take turns, so that the bound on their number holds.
	viewTurnSQL   = `select pg_advisory_xact_lock(hashtextextended('views:' || $1::uuid::text || ':' || $2, 0))`
	otherViewsSQL = `select count(*) from conflict_views where tenant_id = $1 and principal = $2 and name <> $3`
	saveViewSQL   = `insert into conflict_views (id, tenant_id, principal, name, filter, updated_at) values ($1, $2, $3, $4, $5, $6)
on conflict (tenant_id, principal, name) do update set filter = excluded.filter, updated_at = excluded.updated_at`
	listViewsSQL  = `select name, filter, updated_at from conflict_views where tenant_id = $1 and principal = $2 order by lower(name), name`
	deleteViewSQL = `delete from conflict_views where tenant_id = $1 and principal = $2 and name = $3`
)

// Views gives the actor's own views, by name. There are at most MaxViews.
func (s Service) Views(ctx context.Context, actor wiki.Actor) ([]View, error) {
	var views []View
	err := s.read(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, listViewsSQL, actor.Tenant, actor.Principal())
		if err != nil {
			return fmt.Errorf("conflicts: read views: %w", err)
		}
		views, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (View, error) {
			var v View
			var k kept
			err := row.Scan(&v.Name, &k, &v.UpdatedAt)
			v.Filter = k.filter()
			return v, err
		})
		return err
	})
	return views, err
}

// SaveView keeps a filter under a name, in place of what the actor had under it. The filter is one that Queue takes; its
// limit and cursor are dropped. Errors: CodeInvalid on "name" or on the filter's field, "filter.kind" for one; also on "name"
// for one view more than MaxViews.
func (s Service) SaveView(ctx context.Context, actor wiki.Actor, name string, f Filter) (View, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return View{}, err
	}
	name, err := cleanViewName(name)
	if err != nil {
		return View{}, err
	}
	f.Limit, f.Cursor = 0, ""
	if _, err := f.validate(); err != nil {
		return View{}, ofFilter(err)
	}
	f.Limit = 0
	v := View{Name: name, Filter: f}
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := mayKeepView(ctx, tx, actor, name); err != nil {
			return err
		}
		v.UpdatedAt = tx.Now
		if _, err := tx.Exec(ctx, saveViewSQL, tx.NewID(), actor.Tenant, actor.Principal(), name, keep(f), tx.Now); err != nil {
			return fmt.Errorf("conflicts: save the view: %w", err)
		}
		return nil
	})
	return v, err
}

// DeleteView drops one of the actor's own views, CodeNotFound when there is none of that name.
func (s Service) DeleteView(ctx context.Context, actor wiki.Actor, name string) error {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return err
	}
	name, err := cleanViewName(name)
	if err != nil {
		return err
	}
	return s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, deleteViewSQL, actor.Tenant, actor.Principal(), name)
		if err != nil {
			return fmt.Errorf("conflicts: delete the view: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return wiki.NotFound()
		}
		return nil
	})
}

// mayKeepView bounds what one principal keeps.
func mayKeepView(ctx context.Context, tx postgres.Tx, actor wiki.Actor, name string) error {
	if _, err := tx.Exec(ctx, viewTurnSQL, actor.Tenant, actor.Principal()); err != nil {
		return fmt.Errorf("conflicts: take the turn to save a view: %w", err)
	}
	var others int
	if err := tx.QueryRow(ctx, otherViewsSQL, actor.Tenant, actor.Principal(), name).Scan(&others); err != nil {
		return fmt.Errorf("conflicts: count views: %w", err)
	}
	if others < MaxViews {
		return nil
	}
	e := wiki.Invalid("name", "%d views are kept at most", MaxViews)
	e.Remedy = "save under a name that is there, or delete a view first"
	return e
}

// cleanViewName gives the one form of a name under which a view is found again.
func cleanViewName(name string) (string, error) {
	name, err := wiki.CleanText("name", name)
	if err != nil {
		return "", err
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", wiki.Invalid("name", "a view needs a name")
	case utf8.RuneCountInString(name) > MaxViewNameRunes:
		return "", wiki.Invalid("name", "the name has %d characters; at most %d are allowed", utf8.RuneCountInString(name), MaxViewNameRunes)
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", wiki.Invalid("name", "the name must be one line without control characters")
	}
	return name, nil
}

// ofFilter says of a queue's error that it is about a field of a body, not about a query parameter.
func ofFilter(err error) error {
	var e *wiki.Error
	if !errors.As(err, &e) {
		return err
	}
	return wiki.Invalid("filter."+e.Field, "%s", e.Message)
}

func keep(f Filter) kept {
	return kept{
		State: f.State, Kind: f.Kind, Category: f.Category, MinSimilarity: f.MinSimilarity, MaxSimilarity: f.MaxSimilarity,
		By: f.By, Article: f.Article, MinAgeHours: f.MinAgeHours, MaxAgeHours: f.MaxAgeHours, Sort: f.Sort,
	}
}

func (k kept) filter() Filter {
	return Filter{
		State: k.State, Kind: k.Kind, Category: k.Category, MinSimilarity: k.MinSimilarity, MaxSimilarity: k.MaxSimilarity,
		By: k.By, Article: k.Article, MinAgeHours: k.MinAgeHours, MaxAgeHours: k.MaxAgeHours, Sort: k.Sort,
	}
}
