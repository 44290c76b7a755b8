package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"wiki/core/wiki"
)

const filtered = `((@filter_category::text = '' or {a}.category = @filter_category) and (@filter_project::uuid is null or {a}.project_id = @filter_project)
	and (@filter_tags::text[] is null or {a}.tags && @filter_tags))`

// Filtered is true for the articles that a filter lets through. Its arguments are added by AddFilter.
func Filtered(alias string) string { return strings.ReplaceAll(filtered, "{a}", alias) }

// AddFilter adds the named arguments of Filtered to those of a query and gives them back.
func AddFilter(args pgx.NamedArgs, f wiki.Filter) pgx.NamedArgs {
	var tags []string // nil travels as NULL: no filter
	if len(f.Tags) > 0 {
		tags = f.Tags
	}
	args["filter_category"], args["filter_tags"], args["filter_project"] = string(f.Category), tags, f.Project
	return args
}
