package mcp

// The tools' arguments. The jsonschema tags are what an agent reads; the routes check the values.

type none struct{}

type articleArgs struct {
	ArticleID string `json:"article_id" jsonschema:"the article's id"`
}

type idArgs struct {
	ID string `json:"id" jsonschema:"the article's id, from an index"`
}

type projectArgs struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"only this project's articles"`
}

type hybridArgs struct {
	Query     string   `json:"query" jsonschema:"the question, at most 500 characters"`
	ProjectID string   `json:"project_id,omitempty" jsonschema:"only this project's articles"`
	Category  string   `json:"category,omitempty" jsonschema:"only this category"`
	Tags      []string `json:"tags,omitempty" jsonschema:"only articles with one of these tags"`
	Limit     int      `json:"limit,omitempty" jsonschema:"1 to 50, default 10"`
	Explain   bool     `json:"explain,omitempty" jsonschema:"say of each result why it has its place"`
}

type searchArgs struct {
	Q         string   `json:"q,omitempty" jsonschema:"the question or the words, at most 500 characters; may be absent when category or tags are given. \"a phrase\" in quotes, -word to exclude"`
	Mode      string   `json:"mode,omitempty" jsonschema:"keyword, semantic or combined (default)"`
	ProjectID string   `json:"project_id,omitempty" jsonschema:"only this project's articles"`
	Category  string   `json:"category,omitempty" jsonschema:"only this category"`
	Tags      []string `json:"tags,omitempty" jsonschema:"only articles with one of these tags"`
	Limit     int      `json:"limit,omitempty" jsonschema:"1 to 50, default 10"`
	Offset    int      `json:"offset,omitempty" jsonschema:"results to pass over"`
	Explain   bool     `json:"explain,omitempty" jsonschema:"say of each result why it has its place"`
}

type contextArgs struct {
	Query         string   `json:"query" jsonschema:"the question, at most 500 characters"`
	ProjectID     string   `json:"project_id,omitempty" jsonschema:"only this project's articles"`
	Category      string   `json:"category,omitempty" jsonschema:"only this category"`
	Tags          []string `json:"tags,omitempty" jsonschema:"only articles with one of these tags"`
	Limit         int      `json:"limit,omitempty" jsonschema:"1 to 20, default 5"`
	RecencyWeight *float64 `json:"recency_weight,omitempty" jsonschema:"how much a recent text counts, 0 to 1, default 0.3"`
	MemoryTypes   []string `json:"memory_types,omitempty" jsonschema:"only agents' notes of these types"`
	Agents        []string `json:"agents,omitempty" jsonschema:"only these agents' notes"`
	Conversation  string   `json:"conversation_id,omitempty" jsonschema:"only this conversation's notes"`
}

type filterArgs struct {
	Category   string   `json:"category,omitempty" jsonschema:"pattern, decision, finding, reference, playbook, insight, entity, idea, quote or question"`
	Status     string   `json:"status,omitempty" jsonschema:"draft, published, superseded or archived"`
	Tags       []string `json:"tags,omitempty" jsonschema:"articles with these tags"`
	Match      string   `json:"match,omitempty" jsonschema:"any (default) or all of the tags"`
	SourceType string   `json:"source_type,omitempty" jsonschema:"where the text came from"`
	SourceID   string   `json:"source_id,omitempty" jsonschema:"the id of where it came from"`
	ProjectID  string   `json:"project_id,omitempty" jsonschema:"only this project's articles"`
}

type listArgs struct {
	filterArgs
	Title          string `json:"title,omitempty" jsonschema:"exactly this title"`
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"the article that was made under this key"`
	IncludeBody    bool   `json:"include_body,omitempty" jsonschema:"with the texts"`
	Limit          int    `json:"limit,omitempty" jsonschema:"1 to 1000, default 20"`
	Cursor         string `json:"cursor,omitempty" jsonschema:"meta.next_cursor of the page before"`
}

type facetArgs struct {
	filterArgs
	TagPrefix string `json:"tag_prefix,omitempty" jsonschema:"only tags that begin so"`
	Limit     int    `json:"limit,omitempty" jsonschema:"tags at most"`
}

type indexArgs struct {
	ProjectID string   `json:"project_id,omitempty" jsonschema:"only this project's articles"`
	Category  string   `json:"category,omitempty" jsonschema:"only this category"`
	Tags      []string `json:"tags,omitempty" jsonschema:"only articles with one of these tags"`
	Fields    []string `json:"fields,omitempty" jsonschema:"more of each entry: tags, status, updated_at"`
	Limit     int      `json:"limit,omitempty" jsonschema:"1 to 1000, default 1000"`
	Offset    int      `json:"offset,omitempty" jsonschema:"entries to pass over"`
}

type progressiveArgs struct {
	Topic     string `json:"topic" jsonschema:"what it is about, at most 500 characters"`
	ProjectID string `json:"project_id,omitempty" jsonschema:"only this project's articles"`
}

type heatArgs struct {
	Since string `json:"since,omitempty" jsonschema:"reads since this day, such as 2006-01-02"`
	Limit int    `json:"limit,omitempty" jsonschema:"entries at most"`
}

type graphArgs struct {
	ArticleID string `json:"article_id" jsonschema:"the article to begin at"`
	Depth     int    `json:"depth,omitempty" jsonschema:"steps, 1 (default) to 3"`
}

type suggestArgs struct {
	ArticleID string   `json:"article_id" jsonschema:"the article to find neighbours of"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"the least likeness, 0 to 1, default 0.5"`
	Limit     int      `json:"limit,omitempty" jsonschema:"suggestions at most, default 5"`
}

type createArgs struct {
	Title             string         `json:"title" jsonschema:"what the article is about, at most 500 characters, unlike every other title"`
	Body              string         `json:"body" jsonschema:"the text, Markdown, at most 500000 bytes; say what makes it true"`
	Category          string         `json:"category" jsonschema:"pattern, decision, finding, reference, playbook, insight, entity, idea, quote or question"`
	Tags              []string       `json:"tags,omitempty" jsonschema:"at most 50; letters, digits, _ and -; none begins with idem-"`
	ProjectID         string         `json:"project_id,omitempty" jsonschema:"the project that it belongs to; absent = everybody's"`
	SourceType        string         `json:"source_type,omitempty" jsonschema:"where the text came from: manual, agent, session_log, web_article and others"`
	SourceID          string         `json:"source_id,omitempty" jsonschema:"the id of where it came from"`
	IdempotencyKey    string         `json:"idempotency_key,omitempty" jsonschema:"your own name for this capture: sent again, it finds the first one"`
	Metadata          map[string]any `json:"metadata,omitempty" jsonschema:"anything; agent_id, memory_type and visibility (shared, private, owner) have a meaning"`
	Draft             bool           `json:"draft,omitempty" jsonschema:"keep it as a draft"`
	Force             bool           `json:"force,omitempty" jsonschema:"pass the check for near copies: only when you have read the neighbour that it named"`
	OnLowNovelty      string         `json:"on_low_novelty,omitempty" jsonschema:"draft (default) or skip"`
	OnGateUnavailable string         `json:"on_gate_unavailable,omitempty" jsonschema:"create (default) or skip"`
}

type updateArgs struct {
	ArticleID string         `json:"article_id" jsonschema:"the article's id"`
	Title     string         `json:"title,omitempty" jsonschema:"the new title"`
	Body      string         `json:"body,omitempty" jsonschema:"the whole new text"`
	Category  string         `json:"category,omitempty" jsonschema:"the new category"`
	Status    string         `json:"status,omitempty" jsonschema:"the new status"`
	Tags      []string       `json:"tags,omitempty" jsonschema:"all tags that it shall have"`
	Metadata  map[string]any `json:"metadata,omitempty" jsonschema:"the whole new metadata"`
	Reason    string         `json:"reason,omitempty" jsonschema:"why, for the history"`
}

type linkArgs struct {
	Source       string         `json:"source_article_id" jsonschema:"the article that links"`
	Target       string         `json:"target_article_id" jsonschema:"the article that is linked to"`
	Relationship string         `json:"relationship_type" jsonschema:"relates_to, derived_from, contradicts or supersedes"`
	Metadata     map[string]any `json:"metadata,omitempty" jsonschema:"anything about the link"`
}

type suppressArgs struct {
	ArticleID string `json:"article_id" jsonschema:"the article's id"`
	Reason    string `json:"reason" jsonschema:"what is wrong with it, at most 500 characters"`
}

type actArgs struct {
	ArticleID string `json:"article_id" jsonschema:"the article's id"`
	Reason    string `json:"reason,omitempty" jsonschema:"why, for the history"`
}

type diffArgs struct {
	ArticleID string `json:"article_id" jsonschema:"the article's id"`
	From      int    `json:"from" jsonschema:"the older version's number"`
	To        int    `json:"to" jsonschema:"the newer version's number"`
}

type conflictsArgs struct {
	State         string   `json:"state,omitempty" jsonschema:"open (default), judged or settled"`
	Kind          string   `json:"kind,omitempty" jsonschema:"system or asserted"`
	Category      string   `json:"category,omitempty" jsonschema:"only this category"`
	By            string   `json:"by,omitempty" jsonschema:"only what this principal flagged"`
	Sort          string   `json:"sort,omitempty" jsonschema:"impact (default), newest or oldest"`
	MinSimilarity *float64 `json:"min_similarity,omitempty" jsonschema:"0 to 1"`
	MaxSimilarity *float64 `json:"max_similarity,omitempty" jsonschema:"0 to 1"`
	Limit         int      `json:"limit,omitempty" jsonschema:"pairs at most"`
	Cursor        string   `json:"cursor,omitempty" jsonschema:"meta.next_cursor of the page before"`
}

type pairArgs struct {
	Pair string `json:"pair" jsonschema:"the pair's id, from knowledge_conflicts: two article ids with a dot between them"`
}

type assertArgs struct {
	Source   string `json:"source_article_id" jsonschema:"one article"`
	Target   string `json:"target_article_id" jsonschema:"the other article"`
	Evidence string `json:"evidence" jsonschema:"what in the texts contradicts, in your words or theirs"`
}

type resolveArgs struct {
	Source         string `json:"source_article_id" jsonschema:"one article of the pair"`
	Target         string `json:"target_article_id" jsonschema:"the other article of the pair"`
	Disposition    string `json:"disposition" jsonschema:"dismiss, supersede or merge"`
	Classification string `json:"classification,omitempty" jsonschema:"redundant, complementary or contradictory"`
	Confidence     string `json:"confidence,omitempty" jsonschema:"low, medium (default) or high; what is granted depends on your role"`
	Authoritative  string `json:"authoritative_article_id,omitempty" jsonschema:"of a supersede: the one that stays; of a merge: the one that leads"`
	Evidence       string `json:"evidence,omitempty" jsonschema:"why; a supersede with high confidence needs it"`
	SeenSource     int    `json:"seen_source_version,omitempty" jsonschema:"the version of the source that you read: if it has changed since, nothing is recorded"`
	SeenTarget     int    `json:"seen_target_version,omitempty" jsonschema:"the version of the target that you read"`
}

type driftArgs struct {
	State     string `json:"state,omitempty" jsonschema:"open (default), adopted or dismissed"`
	ArticleID string `json:"article_id,omitempty" jsonschema:"only of this article"`
	Limit     int    `json:"limit,omitempty" jsonschema:"events at most"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"meta.next_cursor of the page before"`
}

type proposalsArgs struct {
	State  string `json:"state,omitempty" jsonschema:"only in this state, such as pending"`
	Op     string `json:"op,omitempty" jsonschema:"archive, delete, publish, unpublish or retag"`
	By     string `json:"by,omitempty" jsonschema:"only what this principal proposed"`
	Limit  int    `json:"limit,omitempty" jsonschema:"proposals at most"`
	Cursor string `json:"cursor,omitempty" jsonschema:"meta.next_cursor of the page before"`
}

// selectorArgs name a set, in exactly one way.
type selectorArgs struct {
	ArticleIDs []string `json:"article_ids,omitempty" jsonschema:"these articles"`
	SourceType string   `json:"source_type,omitempty" jsonschema:"with source_id: what came from there"`
	SourceID   string   `json:"source_id,omitempty" jsonschema:"with source_type"`
	Tag        string   `json:"tag,omitempty" jsonschema:"all with this tag"`
}

type bulkProposalArgs struct {
	selectorArgs
	Op         string   `json:"op" jsonschema:"archive, delete, publish, unpublish or retag"`
	Rationale  string   `json:"rationale" jsonschema:"why, for the person who decides"`
	AddTags    []string `json:"add_tags,omitempty" jsonschema:"of a retag"`
	RemoveTags []string `json:"remove_tags,omitempty" jsonschema:"of a retag"`
}

type dispatchArgs struct {
	Role     string `json:"role" jsonschema:"agent, orchestrator or user, not above your own"`
	AgentID  string `json:"agent_id,omitempty" jsonschema:"the name that its acts are recorded under"`
	Lifetime int    `json:"lifetime_seconds,omitempty" jsonschema:"60 to 14400, default 3600"`
}

type pageArgs struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"only this project's"`
	Limit     int    `json:"limit,omitempty" jsonschema:"1 to 1000, default 20"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"meta.next_cursor of the page before"`
}

type bulkArgs struct {
	selectorArgs
	DryRun        bool   `json:"dry_run,omitempty" jsonschema:"only say what would be done"`
	ProposalToken string `json:"proposal_token,omitempty" jsonschema:"of the dry run"`
	ConfirmHash   string `json:"confirm_hash,omitempty" jsonschema:"of the dry run of a set that is over the bound"`
	Reason        string `json:"reason,omitempty" jsonschema:"why, for the history"`
}

type bulkDeleteArgs struct {
	bulkArgs
	Hard bool `json:"hard,omitempty" jsonschema:"delete for good, text and history"`
}
