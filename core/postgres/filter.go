package postgres

import (
	"github.com/jackc/pgx/v5"

	"wiki/core/wiki"
)

const filtered = `((@filter_category::text = '' or {a}.category = @filter_category) and (@filter_project::uuid is null or {a}.project_id = @filter_project)
	and (@filter_tags::text[] is null or {a}.tags && @filter_tags) and (@filter_status::text = '' or {a}.status = @filter_status)
	and (@filter_agents::text[] is null or {a}.metadata ->> 'agent_id' = any (@filter_agents))
	and (@filter_memory_types::text[] is null or {a}.metadata ->> 'memory_type' = any (@filter_memory_types))
	and (@filter_conversation::text = '' or {a}.metadata ->> 'conversation_id' = @filter_conversation))`

// Filtered is true for the articles that a filter lets through. Its arguments are added by AddFilter.
func Filtered(alias string) string { return Aliased(filtered, alias) }

// AddFilter adds the named arguments of Filtered to those of a query and gives them back.
func AddFilter(args pgx.NamedArgs, f wiki.Filter) pgx.NamedArgs {
	args["filter_category"], args["filter_project"], args["filter_status"] = string(f.Category), f.Project, string(f.Status)
	args["filter_tags"], args["filter_agents"], args["filter_memory_types"] = orNull(f.Tags), orNull(f.Agents), orNull(f.MemoryTypes)
	args["filter_conversation"] = f.Conversation
	return args
}

// orNull makes an empty list NULL: no filter.
func orNull(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}
