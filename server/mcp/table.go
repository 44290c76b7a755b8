package mcp

import (
	"net/http"
	"sync"

	"wiki/core/wiki"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	patch  = http.MethodPatch
	remove = http.MethodDelete

	agent        = wiki.RoleAgent
	orchestrator = wiki.RoleOrchestrator
	user         = wiki.RoleUser
)

// tools is every tool; the names are those of facts §11 for what exists here.
var tools = sync.OnceValue(func() []tool {
	return []tool{
		{
			name: "whoami", least: agent, method: get, path: "/whoami", takes: takes[none](),
			does: "Who you are here: your role, the name that your acts are recorded under, and when your key ends.",
		},
		{
			name: "knowledge_hybrid_search", least: agent, method: post, path: "/knowledge/hybrid_search", reads: true, takes: takes[hybridArgs](),
			does: "The best answers to a question. meta.provenance is curated when a person stands behind the first one; meta.confidence is absolute, 0 to 1.",
		},
		{
			name: "knowledge_search", least: agent, method: get, path: "/knowledge/search", takes: takes[searchArgs](),
			does: "Titles and snippets that match a question, exact words (mode keyword), names or code. Without q, the articles of a category or of tags.",
		},
		{
			name: "knowledge_context", least: agent, method: get, path: "/knowledge/context", takes: takes[contextArgs](),
			does: "Whole articles for a question, each with what it links to, fresh ones first where they answer as well.",
		},
		{
			name: "knowledge_get", least: agent, method: get, path: "/articles/{article_id}", takes: takes[articleArgs](),
			does: "One article with its text and its links.",
		},
		{
			name: "knowledge_list", least: agent, method: get, path: "/articles", takes: takes[listArgs](),
			does: "Articles by filter, a page at a time; meta.next_cursor leads on.",
		},
		{
			name: "knowledge_count", least: agent, method: get, path: "/knowledge/count", takes: takes[filterArgs](),
			does: "How many articles a filter finds.",
		},
		{
			name: "knowledge_facets", least: agent, method: get, path: "/knowledge/facets", takes: takes[facetArgs](),
			does: "The tags in use, with how many articles have each.",
		},
		{
			name: "knowledge_stats", least: agent, method: get, path: "/knowledge/stats", takes: takes[projectArgs](),
			does: "How many articles there are by category and status, and how the queue of conflicts stands.",
		},
		{
			name: "knowledge_index", least: agent, method: get, path: "/knowledge/index", takes: takes[indexArgs](),
			does: "All published titles by category: the table of contents.",
		},
		{
			name: "knowledge_progressive_index", least: agent, method: get, path: "/knowledge/progressive_index", takes: takes[progressiveArgs](),
			does: "The best entry points to a topic as short stubs. Open one with knowledge_progressive_drill.",
		},
		{
			name: "knowledge_progressive_drill", least: agent, method: get, path: "/knowledge/progressive/{id}", takes: takes[idArgs](),
			does: "One article of an index, with stubs of what it leads to.",
		},
		{
			name: "knowledge_heat_index", least: agent, method: get, path: "/knowledge/heat_index", takes: takes[heatArgs](),
			does: "What is read most, by distinct readers.",
		},
		{
			name: "knowledge_graph", least: agent, method: get, path: "/knowledge/graph", takes: takes[graphArgs](),
			does: "What an article is linked with, up to three steps away.",
		},
		{
			name: "knowledge_suggest_links", least: agent, method: get, path: "/knowledge/articles/{article_id}/suggested_links", takes: takes[suggestArgs](),
			does: "Articles that are near to one in meaning and not yet linked with it.",
		},
		{
			name: "knowledge_create", least: agent, method: post, path: "/articles", takes: takes[createArgs](),
			does: "Propose an article. The answer's verdict says what became of it: novel, low_novelty (kept as a draft), duplicate or deduplicated (the wiki has it: article is the one that stands), unknown (kept, unchecked).",
		},
		{
			name: "knowledge_update", least: agent, method: patch, path: "/articles/{article_id}", takes: takes[updateArgs](),
			does: "Change an article; what is not given stays. The earlier version is kept.",
		},
		{
			name: "knowledge_link", least: agent, method: post, path: "/article_links", takes: takes[linkArgs](),
			does: "Link two articles. supersedes retires the target; two articles that contradict each other belong into knowledge_assert_conflict instead.",
		},
		{
			name: "knowledge_suppress", least: agent, method: post, path: "/articles/{article_id}/suppress", takes: takes[suppressArgs](), destroys: true,
			does: "Take a wrong article out of every search and index. It stays readable by its id, and knowledge_unsuppress brings it back.",
		},
		{
			name: "knowledge_unsuppress", least: agent, method: post, path: "/articles/{article_id}/unsuppress", takes: takes[actArgs](),
			does: "Bring a suppressed article back.",
		},
		{
			name: "knowledge_archive", least: agent, method: post, path: "/articles/{article_id}/archive", takes: takes[actArgs](), destroys: true,
			does: "Archive an article. Only a person brings it back: to hide one that may return, use knowledge_suppress.",
		},
		{
			name: "knowledge_delete", least: agent, method: remove, path: "/articles/{article_id}", takes: takes[actArgs](), destroys: true,
			does: "The same as knowledge_archive: nothing that an agent does deletes text.",
		},
		{
			name: "knowledge_versions", least: agent, method: get, path: "/articles/{article_id}/versions", takes: takes[articleArgs](),
			does: "An article's history: who changed what, when and why.",
		},
		{
			name: "knowledge_diff", least: agent, method: get, path: "/articles/{article_id}/versions/diff", takes: takes[diffArgs](),
			does: "What changed between two versions of an article.",
		},
		{
			name: "knowledge_conflicts", least: agent, method: get, path: "/knowledge/conflicts", takes: takes[conflictsArgs](),
			does: "Pairs of articles that copy or contradict each other and wait for a judge, most important first.",
		},
		{
			name: "knowledge_conflict", least: agent, method: get, path: "/knowledge/conflicts/{pair}", takes: takes[pairArgs](),
			does: "One pair with both texts, what differs, its evidence and the verdicts so far.",
		},
		{
			name: "knowledge_assert_conflict", least: agent, method: post, path: "/knowledge/conflicts", takes: takes[assertArgs](),
			does: "Say that two articles contradict each other. It puts the pair before a judge, who is somebody else, and changes neither article.",
		},
		{
			name: "knowledge_resolve_conflict", least: agent, method: post, path: "/knowledge/conflicts/resolve", takes: takes[resolveArgs](),
			does: "Judge a pair: dismiss (both may stand), supersede (the authoritative one stays) or merge. Whoever asserted the conflict may not.",
		},
		{
			name: "knowledge_drift", least: agent, method: get, path: "/knowledge/drift", takes: takes[driftArgs](),
			does: "Texts that were sent for an article that stood already and differed from it.",
		},
		{
			name: "proposals", least: agent, method: get, path: "/proposals", takes: takes[proposalsArgs](),
			does: "Bulk changes that wait for a person.",
		},
		{
			name: "propose_bulk", least: agent, method: post, path: "/proposals", takes: takes[bulkProposalArgs](),
			does: "Put a change of many articles before a person. Name the articles in exactly one way.",
		},
		{
			name: "dispatch", least: agent, method: post, path: "/dispatches", takes: takes[dispatchArgs](),
			does: "Make a short-lived key for an agent that you start. Its acts are told from yours, and revoking it revokes what it started.",
		},
		{
			name: "knowledge_drafts", least: orchestrator, method: get, path: "/articles?status=draft", takes: takes[pageArgs](),
			does: "Drafts that wait to be published.",
		},
		{
			name: "knowledge_publish", least: orchestrator, method: post, path: "/articles/{article_id}/publish", takes: takes[actArgs](),
			does: "Publish a draft.",
		},
		{
			name: "knowledge_unpublish", least: user, method: post, path: "/articles/{article_id}/unpublish", takes: takes[actArgs](), destroys: true,
			does: "Make a published article a draft again.",
		},
		{
			name: "knowledge_bulk_publish", least: user, method: post, path: "/knowledge/bulk-publish", takes: takes[bulkArgs](),
			does: "Publish many drafts. With dry_run, say what would be published.",
		},
		{
			name: "knowledge_bulk_unpublish", least: user, method: post, path: "/knowledge/bulk-unpublish", takes: takes[bulkArgs](), destroys: true,
			does: "Make many articles drafts again. With dry_run, say which.",
		},
		{
			name: "knowledge_bulk_delete", least: user, method: post, path: "/knowledge/bulk-delete", takes: takes[bulkDeleteArgs](), destroys: true,
			does: "Archive many articles, or delete them for good (hard). First with dry_run; its answer has the proposal_token that the second call sends back.",
		},
	}
})
