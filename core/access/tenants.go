package access

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Tenant is one wiki among those a server holds.
type Tenant struct {
	ID          uuid.UUID
	Slug        string
	Name        string
	SuspendedAt *time.Time
	InsertedAt  time.Time
	// LoneOperator: the tenant has one person, who may settle the bulk proposals of its own line (SPEC §4).
	LoneOperator bool
	// BlindReview: a second reader of a conflict is not shown what the first one said before it has judged (case 89).
	BlindReview bool
}

// NewTenant asks for a tenant.
type NewTenant struct {
	Slug string // 1 to 64 lower-case letters, digits and inner hyphens
	Name string
}

var slugForm = regexp.MustCompile(`\A[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?\z`)

const (
	tenantColumns   = `id, slug, name, suspended_at, inserted_at, lone_operator, blind_review`
	insertTenantSQL = `insert into tenants (id, slug, name, inserted_at) values ($1, $2, $3, $4) on conflict (slug) do nothing`
	listTenantsSQL  = `select ` + tenantColumns + ` from tenants order by slug`
	findTenantSQL   = `select ` + tenantColumns + ` from tenants where slug = $1`
	loneOperatorSQL = `update tenants set lone_operator = $2 where id = $1`
	blindReviewSQL  = `update tenants set blind_review = $2 where id = $1`
	suspendSQL      = `update tenants set suspended_at = case when $2 then coalesce(suspended_at, $3) end where id = $1`
)

// CreateTenant makes a tenant; it needs role superadmin. A slug that is taken is CodeInvalid on "slug".
func (s *Service) CreateTenant(ctx context.Context, actor wiki.Actor, in NewTenant) (Tenant, error) {
	if err := actor.Require(wiki.RoleSuperadmin); err != nil {
		return Tenant{}, err
	}
	if !slugForm.MatchString(in.Slug) {
		return Tenant{}, wiki.Invalid("slug", "slug must have 1 to 64 lower-case letters, digits and inner hyphens")
	}
	in.Name = norm.NFC.String(in.Name)
	if err := validateName(in.Name); err != nil {
		return Tenant{}, err
	}
	var t Tenant
	err := s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		t = Tenant{ID: tx.NewID(), Slug: in.Slug, Name: in.Name, InsertedAt: tx.Now}
		tag, err := tx.Exec(ctx, insertTenantSQL, t.ID, t.Slug, t.Name, t.InsertedAt)
		if err != nil {
			return fmt.Errorf("access: store the tenant: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return wiki.Invalid("slug", "a tenant %q exists", in.Slug)
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: "tenant.create", Subject: t.ID, Detail: map[string]any{"slug": t.Slug}})
	})
	if err != nil {
		return Tenant{}, err
	}
	return t, nil
}

// Tenants lists all tenants by slug; it needs role superadmin.
func (s *Service) Tenants(ctx context.Context, actor wiki.Actor) ([]Tenant, error) {
	if err := actor.Require(wiki.RoleSuperadmin); err != nil {
		return nil, err
	}
	var list []Tenant
	err := s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, listTenantsSQL)
		if err != nil {
			return fmt.Errorf("access: list tenants: %w", err)
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Tenant])
		return err
	})
	return list, err
}

// TenantBySlug finds one tenant; it needs role superadmin.
func (s *Service) TenantBySlug(ctx context.Context, actor wiki.Actor, slug string) (Tenant, error) {
	if err := actor.Require(wiki.RoleSuperadmin); err != nil {
		return Tenant{}, err
	}
	var t Tenant
	err := s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, findTenantSQL, slug)
		if err != nil {
			return fmt.Errorf("access: find the tenant: %w", err)
		}
		t, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Tenant])
		if errors.Is(err, pgx.ErrNoRows) {
			return wiki.NotFound()
		}
		return err
	})
	return t, err
}

// SuspendTenant shuts a tenant's keys out, or lets them in again; it needs role superadmin. Nothing is deleted.
func (s *Service) SuspendTenant(ctx context.Context, actor wiki.Actor, tenant uuid.UUID, suspended bool) error {
	if err := actor.Require(wiki.RoleSuperadmin); err != nil {
		return err
	}
	return s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, suspendSQL, tenant, suspended, tx.Now)
		if err != nil {
			return fmt.Errorf("access: suspend the tenant: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return wiki.NotFound()
		}
		act := "tenant.suspend"
		if !suspended {
			act = "tenant.resume"
		}
		return audit.Write(ctx, tx, actor, audit.Entry{Act: act, Subject: tenant})
	})
}

// SetLoneOperator says that a tenant has one person only, who may then settle bulk proposals of its own line, or that it has
// no more; it needs role superadmin. Each use of the exception is in the audit (SPEC §4).
func (s *Service) SetLoneOperator(ctx context.Context, actor wiki.Actor, tenant uuid.UUID, lone bool) error {
	return s.switchTenant(ctx, actor, tenant, loneOperatorSQL, "lone_operator", lone)
}

// SetBlindReview says whether a tenant's curators judge without seeing what others said of the pair; it needs role superadmin.
func (s *Service) SetBlindReview(ctx context.Context, actor wiki.Actor, tenant uuid.UUID, blind bool) error {
	return s.switchTenant(ctx, actor, tenant, blindReviewSQL, "blind_review", blind)
}

func (s *Service) switchTenant(ctx context.Context, actor wiki.Actor, tenant uuid.UUID, sql, name string, on bool) error {
	if err := actor.Require(wiki.RoleSuperadmin); err != nil {
		return err
	}
	return s.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, sql, tenant, on)
		if err != nil {
			return fmt.Errorf("access: set %s: %w", name, err)
		}
		if tag.RowsAffected() == 0 {
			return wiki.NotFound()
		}
		actor.Tenant = tenant // the tenant's own people see it in their audit
		return audit.Write(ctx, tx, actor, audit.Entry{Act: "tenant." + name, Subject: tenant, Detail: map[string]any{name: on}})
	})
}
