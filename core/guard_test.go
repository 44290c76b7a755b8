package core_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
)

// The guard of retraction and of visibility (SPEC §4, seed, invariant 4, case 38): every statement that reads articles, or
// what is derived from them, carries postgres.Ranked and postgres.VisibleTo, or is named in exemptions.

// watched are the tables and functions that hold articles or what is derived from them. unwatched are the others: a new
// table or function has to be put in one of the two.
var (
	watched = []string{
		"articles", "article_versions", "article_links", "article_embeddings", "keyword_docs", "keyword_fresh", "keyword_blocks", "drift_events", "access_events",
		"proposal_items", // titles
	}
	unwatched = []string{
		"tenants", "projects", "dispatches", "api_keys", "audit_log", "events", "schema_version", "server_secrets", "wiki_tenant", "wiki_canon",
		"embedding_pending",                                                                                                                // ids that wait for a vector
		"keyword_segments",                                                                                                                 // how many articles and words a segment holds
		"conflict_flags", "conflict_verdicts", "conflict_pairs", "conflict_claims", "conflict_views", "conflict_closed", "conflict_impact", // ids; what shows titles or texts joins articles
		"import_runs", "import_files",
		"rate_counts", "write_counts", // numbers
		"proposals", "article_tombstones", // acts and digests
		"nightly_passes", "nightly_steps", "nightly_switches", "nightly_copies", // counts, ids and codes
		"river_job", "river_job_state_in_bitmask", "river_leader", "river_migration", "river_notification", "river_queue", // the job queue: ids
	}
)

// category says what kind of read may do without a predicate.
type category string

const (
	byID       category = "by id"      // the caller names the article, or what hangs on it: retraction leaves it readable, so that the act can be inspected
	curation   category = "curation"   // a list for those who judge or repair: what is retracted has to be seen there
	write      category = "write"      // a step of an act on rows: it answers with what stands, or shows nothing
	within     category = "within"     // reads for ids that a statement with the predicates gave in the same transaction
	statistics category = "statistics" // counts, without a title or a text
)

// exemption says why a statement does without Ranked. unseen: it does without VisibleTo too, which only what shows no text
// by itself may.
type exemption struct {
	category category
	unseen   bool
	reason   string
}

// exemptions, by the statement's room and name. An entry that is not needed any more fails the test too.
var exemptions = map[string]exemption{
	"articles.getSQL":           {byID, false, "a suppressed article is read by its id"},
	"articles.titlesSQL":        {byID, false, "what the acts of the log were about: named by their ids"},
	"articles.outgoingSQL":      {byID, false, "the links of an article that was named"},
	"articles.incomingSQL":      {byID, false, "the links of an article that was named"},
	"articles.oneEdgeSQL":       {byID, false, "a link that was named"},
	"articles.versionsSQL":      {byID, false, "the history of an article that was named"},
	"articles.getDriftSQL":      {byID, false, "a drift event that was named"},
	"articles.listDriftSQL":     {curation, false, "a submission that differs is looked at, whatever became of its article"},
	"articles.countDriftSQL":    {statistics, false, "the number of what listDriftSQL lists"},
	"articles.listSQL":          {curation, false, "not ranked: by status and filter; suppressed articles only when asked for"},
	"articles.countSQL":         {curation, false, "the number of what listSQL lists"},
	"articles.statsSQL":         {statistics, false, "counts by status: the tenant's own, suppressed or not"},
	"articles.facetsSQL":        {curation, false, "the tags of what listSQL lists; by default of published articles"},
	"articles.graphSQL":         {byID, false, "what an article that was named is linked with: superseded too, suppressed not"},
	"articles.linkedSQL":        {within, true, "ids to leave out of what is suggested: none is shown"},
	"articles.lockSQL":          {write, false, "takes the article that an act names"},
	"articles.lockDriftSQL":     {write, false, "takes the drift event that an act names"},
	"articles.standingDriftSQL": {write, true, "asks whether the same submission was noted before"},
	"articles.sameEdgeSQL":      {write, false, "asks whether the same link stands"},
	"articles.byTitleSQL":       {write, false, "the gate asks what stands under a title: a suppressed one is in the way of the index too"},
	"articles.byKeySQL":         {write, false, "the gate asks what a capture made, whatever became of it since (SPEC §3)"},
	"articles.legacySQL":        {curation, false, "an operator's repair of tags, whatever became of the article"},
	"articles.countLegacySQL":   {curation, false, "the number of what legacySQL lists"},
	"articles.retractedSQL":     {write, true, "asks whether an article was taken for a copy before"},
	"articles.surplusSQL":       {write, true, "which links the nightly pass takes away: ids only"},
	"articles.driftBacklogSQL":  {statistics, true, "how much drift waits in all tenants together: an operator's number"},
	"articles.keepSQL":          {write, true, "keeps the version that an update ends"},

	"proposals.byIDsSQL":      {write, false, "freezes the articles that an act names: those it would leave alone are told apart"},
	"proposals.byTagSQL":      {write, false, "freezes what a set-based act would change: retracted articles are archived or deleted too"},
	"proposals.sourceSQL":     {write, false, "as byTagSQL"},
	"proposals.nextItemsSQL":  {write, true, "what is left of a run: each article is taken by articles.lockSQL, as its approver sees it"},
	"proposals.memberSQL":     {write, true, "asks whether a frozen set has an article"},
	"proposals.countsSQL":     {statistics, true, "how far a run is"},
	"proposals.itemsSQL":      {curation, false, "a frozen set is looked at, whatever became of its articles; titles are those that its minter saw"},
	"proposals.linkCountSQL":  {statistics, false, "the number of what linksSQL lists"},
	"proposals.linksSQL":      {curation, false, "what a person weighs before an act: a suppressed article's link breaks too"},
	"proposals.curatedSQL":    {curation, false, "what a person weighs before an act"},
	"proposals.pageImpactSQL": {statistics, false, "how much each proposal of a page would cost"},

	"conflicts.Queue":         {curation, false, "a pair is judged, or shown as closed, whatever became of its articles"},
	"conflicts.countSQL":      {curation, false, "the number of what Queue lists"},
	"conflicts.Groups":        {curation, false, "the articles of what Queue lists"},
	"conflicts.ageingSQL":     {statistics, false, "how long the pairs of the queue wait"},
	"conflicts.oneSQL":        {curation, false, "one pair of the queue, named"},
	"conflicts.logSQL":        {curation, false, "what was judged stays in the log"},
	"conflicts.visibleSQL":    {write, false, "takes an article that an assertion names"},
	"conflicts.glimpseSQL":    {write, false, "takes the articles of a pair that an act names"},
	"conflicts.oneVerdictSQL": {curation, false, "one verdict of the log, named"},
	"flags.changedSQL":        {write, true, "takes a pair's articles before it is flagged; shows only when they changed"},
	"flags.privateSQL":        {write, true, "asks whether an event has to be kept from others"},

	"keyword.blocksSQL":      {within, true, "postings to score: visible() keeps those that the predicates let through before any leaves"},
	"keyword.freshSQL":       {within, true, "rows to score: as blocksSQL"},
	"keyword.docsSQL":        {within, true, "scores for ids that a lane gave"},
	"keyword.frequenciesSQL": {statistics, true, "how many articles hold a word"},
	"keyword.dueSQL":         {statistics, true, "how many articles are not packed yet"},
	"keyword.tooMuchDead":    {statistics, true, "how many articles are indexed"},
	"keyword.living":         {write, true, "merges postings: which of them are of present texts"},
	"keyword.read":           {write, true, "merges postings"},
	"keyword.pack":           {write, true, "packs postings"},
	"search.stubsSQL":        {within, true, "names and summaries of ids that a lane gave"},
	"search.bodiesSQL":       {within, true, "bodies of the page"},
	"search.factsSQL":        {within, true, "what ranking may know of ids that the lanes gave"},
	"search.textsSQL":        {within, true, "snippets of the page"},
	"usage.readDaysSQL":      {statistics, true, "read days, for the nightly stamp"},
	"vectors.coverageSQL":    {statistics, false, "how many articles have a vector"},
	"vectors.count":          {statistics, true, "counts a scope's vectors, to choose the way to compare"},
	"vectors.betweenSQL":     {within, true, "measures the flagged pairs of one article"},
	"vectors.cosinesSQL":     {within, true, "measures ids that a lane gave"},
	"vectors.sectionsSQL":    {within, true, "counts the sections of ids that a lane gave"},
	"vectors.loadSQL":        {within, true, "vectors of ids that a lane gave"},
}

var (
	readsWatched = regexp.MustCompile(`(?i)\b(?:from|join|using|,)\s+(?:only\s+)?(?:` + strings.Join(watched, "|") + `)\b`)
	queries      = regexp.MustCompile(`(?i)^\s*(select|with|insert|update|delete)\b`) // not analyze, create index and the like
	deletes      = regexp.MustCompile(`(?i)\bdelete from\s+\w+`)
	ofArticles   = regexp.MustCompile(`(?i)\b(?:from|join|using|,)\s+articles(?:\s+as)?(?:\s+(\w+))?`)
)

// lacks tells which of the two predicates a statement that reads articles does without. Each alias of articles needs it; a
// statement that reads only what is derived has none.
func lacks(sql string, predicate func(string) string) bool {
	aliases := ofArticles.FindAllStringSubmatch(sql, -1)
	for _, m := range aliases {
		if m[1] == "" || !strings.Contains(sql, predicate(m[1])) {
			return true
		}
	}
	return len(aliases) == 0
}

func TestEveryReadOfArticlesCarriesThePredicatesOrIsExempt(t *testing.T) {
	t.Parallel()
	stale := maps.Clone(exemptions)
	for _, s := range readSource(t) {
		if !queries.MatchString(s.SQL) || !readsWatched.MatchString(deletes.ReplaceAllString(s.SQL, "")) {
			continue
		}
		e, exempt := exemptions[s.ID()]
		unranked, unseen := lacks(s.SQL, postgres.Ranked), lacks(s.SQL, postgres.VisibleTo)
		if unranked || unseen {
			require.True(t, exempt, "%s (%s) reads articles without postgres.Ranked or postgres.VisibleTo. A ranked read joins both "+
				"predicates for each alias of articles; another kind of read is named in exemptions, with its category and the reason", s.ID(), s.At)
			delete(stale, s.ID())
		}
		if exempt {
			require.True(t, unranked, "%s (%s) carries postgres.Ranked: it needs no exemption", s.ID(), s.At)
			require.Equal(t, e.unseen, unseen, "%s (%s): whether it does without postgres.VisibleTo is not as exemptions has it", s.ID(), s.At)
			require.False(t, unseen && (e.category == byID || e.category == curation), "%s (%s) shows articles: it needs postgres.VisibleTo", s.ID(), s.At)
			require.NotEmpty(t, e.reason, s.ID())
		}
	}
	require.Empty(t, slices.Collect(maps.Keys(stale)), "exemptions that nothing needs")
}

func TestEveryTableIsWatchedOrIsNot(t *testing.T) {
	t.Parallel()
	rows, err := connect(t).Query(t.Context(), `select c.relname::text from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
		union select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
		and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)
	require.NoError(t, err)
	var name string
	var found []string
	for rows.Next() {
		require.NoError(t, rows.Scan(&name))
		found = append(found, name)
	}
	require.NoError(t, rows.Err())
	require.ElementsMatch(t, append(slices.Clone(watched), unwatched...), found,
		"a table or function that holds articles, or what is derived from them, belongs in watched, any other in unwatched")
}
