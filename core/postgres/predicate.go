package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"wiki/core/wiki"
)

// The predicates that every read of articles shares, so that no room can forget half of one. They are fragments over
// a table alias of articles, to be joined with AND. An alias is code, never input.
//
// VisibleTo and Own use the named arguments @viewer_tenant, @viewer_sees_private, @viewer_names and @viewer_keeps_canon: Viewer makes
// the pgx.NamedArgs with them, to which a query adds its own.

const visibleTo = `(({a}.tenant_id = @viewer_tenant and ({a}.visibility = 'shared' or @viewer_sees_private or {a}.owner_agent = any (@viewer_names)))
	or ({a}.tenant_id is null and ({a}.status = 'published' or @viewer_keeps_canon)))`

const own = `({a}.tenant_id = @viewer_tenant or (@viewer_keeps_canon and {a}.tenant_id is null))`

const ranked = `({a}.status = 'published' and {a}.suppressed_at is null)`

// VisibleTo is true for the articles that the viewer may know of (SPEC §1): a user or above sees all of the tenant, an
// agent or orchestrator what is shared and what is private to it, and everybody the published system canon.
func VisibleTo(alias string) string { return Aliased(visibleTo, alias) }

// Own is true for the articles of the viewer's scope, which are those that it may change: its tenant's, or for a superadmin
// system canon.
func Own(alias string) string { return Aliased(own, alias) }

// Aliased puts a table's alias into a fragment, in the place of {a}.
func Aliased(fragment, alias string) string { return strings.ReplaceAll(fragment, "{a}", alias) }

// Ranked is true for the articles that a ranked read may offer: published and not suppressed (seed, invariant 8). A direct
// get does not use it.
func Ranked(alias string) string { return Aliased(ranked, alias) }

// RankedAs is Ranked, or, when the filter names a status, true for what has that one and is not suppressed. Who may name a
// status is decided where the filter is read. It needs the arguments of AddFilter, and Filtered beside it.
func RankedAs(alias string) string {
	return Aliased(`(`+ranked+` or {a}.suppressed_at is null and {a}.status = @filter_status)`, alias)
}

// Viewer gives the named arguments of VisibleTo for an actor; a query adds its own to them.
func Viewer(actor wiki.Actor) pgx.NamedArgs {
	return pgx.NamedArgs{
		"viewer_tenant":       actor.Tenant,
		"viewer_sees_private": actor.Role >= wiki.RoleUser,
		"viewer_names":        []string{actor.Principal(), actor.Key.String()},
		"viewer_keeps_canon":  actor.KeepsCanon(),
	}
}
