package server

import (
	"math"
	"net/http"

	"wiki/core/articles"
	"wiki/core/audit"
	"wiki/core/conflicts"
	"wiki/core/nightly"
	"wiki/core/proposals"
	"wiki/core/search"
	"wiki/server/api"
)

// operation is what the API's description says of a route, besides what the route itself does.
type operation struct {
	does  string      // one line
	query []parameter // what the handler reads from the query string
	body  any         // the wire type of the body; nil = none is read
	data  any         // the wire type of the answer's data; nil = 204, no body
	also  int         // another status of success: 201 when something was made, 202 when a long run goes on
	plain string      // the media type of an answer that is no envelope
}

// parameter is one of the query string's.
type parameter struct {
	name, kind, about string
	of                []string // of a choice: the words, the default first; "" = any
	least, most       int      // of a number
}

func text(name, about string) parameter { return parameter{name: name, kind: "text", about: about} }
func list(name, about string) parameter { return parameter{name: name, kind: "list", about: about} }
func flag(name, about string) parameter { return parameter{name: name, kind: "flag", about: about} }
func ident(name, about string) parameter {
	return parameter{name: name, kind: "id", about: about}
}

func fraction(name, about string) parameter {
	return parameter{name: name, kind: "fraction", about: about}
}

func number(name, about string, least, most int) parameter {
	return parameter{name: name, kind: "number", about: about, least: least, most: most}
}

func choice(name, about string, of ...string) parameter {
	return parameter{name: name, kind: "choice", about: about, of: of}
}

func limit(most int) parameter { return number("limit", "at most so many", 1, most) }

var (
	cursor  = text("cursor", "meta.next_cursor of the page before")
	offset  = number("offset", "pass over so many", 0, maxListOffset)
	project = ident("project_id", "only this project's")
	explain = flag("explain", "say of each result why it has its place")

	narrowing = []parameter{project, text("category", "only this category"), list("tags", "only with one of these tags")}
	filtering = []parameter{
		text("category", "only this category"), text("status", "only in this status"), list("tags", "with these tags"),
		choice("match", "any or all of the tags", matchAny, matchAll), text("source_type", "where the text came from"), ident("source_id", "what it came from"),
		text("idempotency_key", "made under this key"), project, text("title", "exactly this title"),
	}
	queueing = []parameter{
		choice("state", "open, judged or settled", "open", "judged", "settled"), choice("kind", "who raised it", "", "system", "asserted"),
		text("category", "only this category"), text("by", "raised by this principal"),
		number("min_age_hours", "flagged at least so long ago", 0, conflicts.MaxAgeHours), number("max_age_hours", "flagged at most so long ago", 0, conflicts.MaxAgeHours),
		fraction("min_similarity", "at least so near"), fraction("max_similarity", "at most so near"), ident("article_id", "pairs of this article"),
		limit(conflicts.MaxLimit), cursor,
	}
)

func with(some []parameter, more ...parameter) []parameter {
	return append(append([]parameter{}, some...), more...)
}

// operations describes every route of the table.
var operations = map[string]operation{
	"GET /whoami":             {does: "What the key is", data: api.Whoami{}},
	"GET /keys":               {does: "List the tenant's keys", data: []api.Key{}},
	"POST /keys":              {does: "Make a key; its text is in this answer and nowhere else", body: api.NewKey{}, data: api.Key{}, also: http.StatusCreated},
	"DELETE /keys/{id}":       {does: "Revoke a key and every dispatch minted with it"},
	"POST /keys/{id}/rotate":  {does: "Make a key's successor; the old one lives on for a grace", body: api.RotateKey{}, data: api.Key{}, also: http.StatusCreated},
	"GET /dispatches":         {does: "List dispatches: a user the tenant's, anyone else the own line's", data: []api.Dispatch{}},
	"POST /dispatches":        {does: "Mint a short-lived child key", body: api.NewDispatch{}, data: api.Dispatch{}, also: http.StatusCreated},
	"DELETE /dispatches/{id}": {does: "Revoke a dispatch and all that descend from it"},

	"GET /articles": {
		does: "List articles", data: []api.Article{},
		query: with(filtering, flag("include_body", "with the texts"), flag("suppressed", "only those that are, or are not"), cursor, limit(articles.MaxLimit), offset),
	},
	"POST /articles":                           {does: "Propose an article; the answer's verdict says what became of it", body: api.Proposal{}, data: api.Proposed{}, also: http.StatusCreated},
	"GET /articles/{id}":                       {does: "One article with its text and links", data: api.Article{}},
	"PATCH /articles/{id}":                     {does: "Change an article; the earlier version is kept", body: api.ArticlePatch{}, data: api.Article{}},
	"PUT /articles/{id}":                       {does: "The same as PATCH: a field that is absent stays", body: api.ArticlePatch{}, data: api.Article{}},
	"DELETE /articles/{id}":                    {does: "Archive an article", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/publish":              {does: "Publish a draft", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/unpublish":            {does: "Make a published article a draft again", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/archive":              {does: "Archive an article; only a user brings it back", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/suppress":             {does: "Take an article out of every ranked read; a reason is required", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/unsuppress":           {does: "Bring a suppressed article back", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/curate":               {does: "Stand behind an article", body: api.Reason{}, data: api.Article{}},
	"POST /articles/{id}/uncurate":             {does: "Stand behind an article no more", body: api.Reason{}, data: api.Article{}},
	"GET /articles/{id}/links":                 {does: "What an article links to, and what links to it", data: []api.Link{}},
	"GET /articles/{id}/versions":              {does: "An article's history", data: []api.ArticleVersion{}},
	"GET /articles/{id}/versions/{n}":          {does: "One version with its text", data: api.ArticleVersion{}},
	"GET /articles/{id}/versions/diff":         {does: "What changed between two versions", data: api.VersionDiff{}, query: []parameter{version("from"), version("to")}},
	"POST /articles/{id}/versions/{n}/restore": {does: "Make a new version that reads as an earlier one", body: api.Reason{}, data: api.Article{}},
	"POST /article_links":                      {does: "Link two articles", body: api.NewLink{}, data: api.Link{}, also: http.StatusCreated},
	"DELETE /article_links/{id}":               {does: "Remove a link"},

	"GET /knowledge/search": {
		does: "Titles and snippets that match", data: []api.Hit{},
		query: with(narrowing, text("q", "the question, at most 500 characters; may be absent when a category or tags are given"),
			choice("mode", "how to look", string(search.ModeCombined), string(search.ModeKeyword), string(search.ModeSemantic)),
			limit(search.MaxLimit), number("offset", "pass over so many", 0, search.MaxOffset), explain),
	},
	"POST /knowledge/hybrid_search": {does: "The best answers; meta says whether a curated one won, and how sure it is", body: api.HybridRequest{}, data: api.HybridResult{}},
	"GET /knowledge/context": {
		does: "Whole articles for a question, with what they link to", data: []api.ContextHit{},
		query: with(narrowing, text("query", "the question, at most 500 characters"), limit(search.MaxContextLimit), fraction("recency_weight", "how much a recent text counts, default 0.3"),
			explain, choice("status", "for users: articles in this status", "", "published", "draft", "superseded", "archived"),
			list("memory_types", "only agents' notes of these types"), list("agents", "only these agents' notes"), text("conversation_id", "only this conversation's notes")),
	},
	"GET /knowledge/nights":   {does: "What the consumers of the last nightly passes did, newest first", data: []api.Night{}, query: []parameter{limit(nightly.MaxPasses)}},
	"GET /knowledge/pipeline": {does: "What became of the writes of the last days", data: api.Pipeline{}, query: []parameter{number("days", "so many days, today included", 1, articles.MaxCountDays)}},
	"GET /knowledge/stats":    {does: "How many articles there are, and how the queue of conflicts stands", data: api.Stats{}, query: []parameter{project}},
	"GET /knowledge/count":    {does: "How many articles a filter finds", data: api.Count{}, query: filtering},
	"GET /knowledge/facets": {
		does: "How many articles have each tag", data: map[string]int{},
		query: with(filtering, text("tag_prefix", "only tags that begin so"), limit(articles.MaxFacets)),
	},
	"GET /knowledge/index": {
		does: "The table of contents, by category", data: map[string][]api.IndexEntry{},
		query: with(narrowing, list("fields", "more of each entry: tags, status, updated_at"), limit(articles.MaxIndex), offset),
	},
	"GET /knowledge/graph": {
		does: "What is linked with an article", data: api.Graph{},
		query: []parameter{ident("article_id", "where to begin"), number("depth", "links away at most", 1, articles.MaxGraphDepth)},
	},
	"GET /knowledge/articles/{id}/suggested_links": {
		does: "Articles near to one in meaning and not linked with it", data: []api.NearArticle{},
		query: []parameter{fraction("threshold", "the least likeness, default 0.5"), limit(search.MaxSuggestions), explain},
	},
	"GET /knowledge/progressive_index": {
		does: "Entry points to a topic, as short stubs", data: []api.ProgressiveStub{},
		query: with(narrowing, text("topic", "what it is about, at most 500 characters"), explain),
	},
	"GET " + drillPath: {does: "Open an entry of an index", data: api.Article{}},
	"GET /knowledge/heat_index": {
		does: "What is read most", data: []api.HeatStub{},
		query: with(narrowing, parameter{name: "since", kind: "day", about: "reads since this day, default 90 days ago"}, limit(search.MaxHeatLimit), explain),
	},

	"GET /knowledge/conflicts": {
		does: "The queue of conflicts", data: []api.Conflict{},
		query: with(queueing, choice("sort", "the order", string(conflicts.SortImpact), string(conflicts.SortNewest), string(conflicts.SortOldest))),
	},
	"GET /knowledge/conflicts/groups":                  {does: "Articles that stand in several pairs of the queue", data: []api.ConflictGroup{}, query: queueing},
	"POST /knowledge/conflicts":                        {does: "Dispute a pair; evidence is required", body: api.NewAssertion{}, data: api.Conflict{}, also: http.StatusCreated},
	"GET /knowledge/conflicts/views":                   {does: "The caller's saved filters of the queue", data: []api.ConflictView{}},
	"PUT /knowledge/conflicts/views":                   {does: "Save a filter of the queue under a name", body: api.NewConflictView{}, data: api.ConflictView{}},
	"DELETE /knowledge/conflicts/views":                {does: "Forget a saved filter", query: []parameter{text("name", "the filter's name")}},
	"GET /knowledge/conflicts/{pair}":                  {does: "One pair with all that a judge needs", data: api.Pair{}},
	"POST /knowledge/conflicts/{pair}/claim":           {does: "Hold a pair for ten minutes", data: api.Claim{}},
	"DELETE /knowledge/conflicts/{pair}/claim":         {does: "Let a pair go"},
	"POST /knowledge/conflicts/resolve":                {does: "Judge a pair", body: api.NewVerdict{}, data: api.Verdict{}},
	"POST /knowledge/conflicts/execute":                {does: "Apply verdicts that wait", body: api.Execute{}, data: api.Executed{}},
	"GET /knowledge/conflicts/verdicts":                {does: "The log of verdicts", data: []api.Verdict{}, query: []parameter{flag("mine", "the caller's own only"), choice("state", "only those that can be taken back", "", "undoable"), limit(conflicts.MaxLimit), cursor}},
	"POST /knowledge/conflicts/verdicts/{id}/withdraw": {does: "Take a verdict back before it is applied", body: api.Reason{}, data: api.Verdict{}},
	"POST /knowledge/conflicts/verdicts/{id}/revert":   {does: "Undo a supersede that was applied", body: api.Reason{}, data: api.Verdict{}},

	"GET /knowledge/drift": {
		does: "Texts that were sent for an article that stood and said something else", data: []api.Drift{},
		query: []parameter{choice("state", "open, adopted or dismissed", "open", "adopted", "dismissed"), limit(articles.MaxLimit), cursor, ident("article_id", "of this article")},
	},
	"POST /knowledge/drift/{id}/adopt":   {does: "Make the submitted text the article's next version", body: api.Reason{}, data: api.Article{}},
	"POST /knowledge/drift/{id}/dismiss": {does: "Let the article stand as it is", body: api.Reason{}, data: api.Article{}},

	"POST /knowledge/bulk-archive":   {does: "Archive many articles", body: api.BulkRequest{}, data: oneOf{api.BulkPreview{}, api.BulkRun{}}, also: http.StatusAccepted},
	"POST /knowledge/bulk-delete":    {does: "Archive many articles, or delete them for good", body: api.BulkRequest{}, data: oneOf{api.BulkPreview{}, api.BulkRun{}}, also: http.StatusAccepted},
	"POST /knowledge/bulk-publish":   {does: "Publish many drafts", body: api.BulkRequest{}, data: oneOf{api.BulkPreview{}, api.BulkRun{}}, also: http.StatusAccepted},
	"POST /knowledge/bulk-unpublish": {does: "Make many articles drafts again", body: api.BulkRequest{}, data: oneOf{api.BulkPreview{}, api.BulkRun{}}, also: http.StatusAccepted},
	"POST /knowledge/bulk-retag":     {does: "Change the tags of many articles", body: api.BulkRequest{}, data: oneOf{api.BulkPreview{}, api.BulkRun{}}, also: http.StatusAccepted},
	"GET /proposals": {
		does: "Bulk changes that wait for a person, or waited", data: []api.BulkProposal{},
		query: []parameter{text("state", "pending (default), running, executed, rejected, withdrawn or expired"), text("op", "archive, delete, publish, unpublish or retag"), text("by", "minted by this principal"), limit(proposals.MaxLimit), cursor},
	},
	"POST /proposals":               {does: "Put a set of articles, and what shall become of it, before a person", body: api.NewBulkProposal{}, data: api.BulkProposal{}, also: http.StatusCreated},
	"GET /proposals/{id}":           {does: "One proposal with its first articles and its impact", data: api.BulkProposal{}},
	"GET /proposals/{id}/items":     {does: "A proposal's articles", data: []api.BulkItem{}, query: []parameter{cursor, limit(proposals.MaxItems)}},
	"POST /proposals/{id}/approve":  {does: "Carry a proposal out, less what is excluded", body: api.Approval{}, data: api.BulkRun{}, also: http.StatusAccepted},
	"POST /proposals/{id}/reject":   {does: "Reject a proposal", body: api.Reason{}, data: api.BulkProposal{}},
	"POST /proposals/{id}/withdraw": {does: "Take a proposal back", body: api.Reason{}, data: api.BulkProposal{}},
	"POST /proposals/{id}/execute":  {does: "Carry on with an approved proposal that was cut short", data: api.BulkRun{}, also: http.StatusAccepted},

	"GET /audit": {
		does: "The log of acts, newest first", data: []api.AuditEntry{},
		query: []parameter{text("principal", "acts of this principal"), text("act", "acts of this name"), limit(audit.MaxLimit), cursor, ident("subject", "acts on this thing")},
	},
	"GET /events": {does: "What changes, as server-sent events; Last-Event-ID goes on after that event", data: api.Event{}, plain: "text/event-stream", query: []parameter{text("last_event_id", "the same as the header Last-Event-ID")}},
}

// oneOf is data of one of several types.
type oneOf []any

func version(name string) parameter { return number(name, "the number of a version", 1, math.MaxInt32) }
