// Package search answers ranked reads: by keyword, by meaning, by both fused, and hybrid with provenance. The lanes and the
// pure rules (fusion, priors, provenance, diversity) are other rooms'; this one puts them in order.
package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"wiki/core/embedding"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// Mode is which lanes answer.
type Mode string

// The modes a caller may ask for, and the two that an answer may have been given in instead.
const (
	ModeKeyword     Mode = "keyword"
	ModeSemantic    Mode = "semantic"
	ModeCombined    Mode = "combined"
	ModeKeywordOnly Mode = "keyword_only" // combined was asked for, and the semantic lane was down
	ModeList        Mode = "list"         // no text: the articles that pass the filter
)

// Limits of a search (facts §3.4).
const (
	DefaultLimit  = 10
	MaxLimit      = 50
	MaxOffset     = 1000
	MaxQueryRunes = 500 // a longer text is cut, and the answer says so
)

// How far the count of an answer reaches (facts §3.4, meta.total_count_scope).
const (
	ScopeKeywordMatches   = "keyword_matches"   // all articles that hold one of the words
	ScopeMergedCandidates = "merged_candidates" // what the lanes brought into the pool
	ScopeFilteredSet      = "filtered_set"      // all articles that pass the filter
)

// Settings of ranking. Zero fields are not defaults: begin with DefaultSettings.
type Settings struct {
	Pool        int // articles that each lane brings in, at least
	Graph       GraphLane
	Progressive Progressive
	Fusion      wiki.Fusion
	Priors      wiki.Priors
	Provenance  wiki.ProvenanceRules
	Diversity   wiki.DiversityRules
}

// DefaultPool: 200 from each lane keep a recall@100 of 0.968 on SciFact, 50 only 0.947 (reference keyword-lane).
const DefaultPool = 200

// DefaultSettings gives the settings as shipped.
func DefaultSettings() Settings {
	return Settings{
		Pool: DefaultPool, Graph: DefaultGraphLane(), Progressive: DefaultProgressive(),
		Fusion: wiki.DefaultFusion(wiki.DefaultFusionMethod), Priors: wiki.DefaultPriors(),
		Provenance: wiki.DefaultProvenanceRules(), Diversity: wiki.DefaultDiversity(),
	}
}

// Service answers searches. It is safe for use by several goroutines.
type Service struct {
	db       *postgres.DB
	embedder embedding.Embedder
	keyword  keyword.Store
	vectors  vectors.Store
	usage    usage.Recorder
	settings Settings
}

// New makes the service. The embedder should be guarded, so that a slow provider costs a bounded time.
func New(db *postgres.DB, embedder embedding.Embedder, settings Settings) *Service {
	return &Service{db: db, embedder: embedder, usage: usage.Recorder{DB: db}, settings: settings}
}

// Query is a search.
type Query struct {
	Text    string
	Mode    Mode // empty = combined
	Filter  wiki.Filter
	Limit   int // zero = DefaultLimit
	Offset  int
	Explain bool
}

// Hit is an article of a page.
type Hit struct {
	ID       uuid.UUID
	Title    string
	Category wiki.Category
	Tags     []string
	Score    float64 // what the page is ordered by
	Snippet  string  // at most wiki.MaxSnippetRunes, matches between wiki.SnippetMark
	Curated  bool    // marked by a person, or system canon
	Explain  *Explanation
}

// Explanation says how a hit got its place.
type Explanation struct {
	Lanes  map[wiki.Lane]wiki.LaneScore
	Fused  float64            // before the priors
	Priors map[string]float64 // factors by name; empty when the mode applies none
}

// Page is an answer.
type Page struct {
	Hits           []Hit
	Total          int
	Scope          string // how far Total reaches
	Limit, Offset  int
	HasMore        bool
	Mode           Mode // as answered
	Degraded       bool
	DegradedReason string
	Note           string
}

const (
	noteCut      = "the query was cut to its first 500 characters"
	noteNoWords  = "the query has no words to look for"
	noteNoVector = "the query has nothing to compare by meaning; it was answered by its words"
)

// checked gives the query with its defaults, and its text as it can be searched: valid UTF-8, no NUL, bounded. Whatever
// the text, it is no error (case 53).
func (q Query) checked() (_ Query, note string, err error) {
	switch q.Mode {
	case "":
		q.Mode = ModeCombined
	case ModeKeyword, ModeSemantic, ModeCombined:
	default:
		return q, "", wiki.Invalid("mode", "mode must be keyword, semantic or combined, not %q", q.Mode)
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, "", wiki.Invalid("limit", "limit must be between 1 and %d", MaxLimit)
	}
	if q.Offset < 0 || q.Offset > MaxOffset {
		return q, "", wiki.Invalid("offset", "offset must be between 0 and %d", MaxOffset)
	}
	if q.Filter, err = checkFilter(q.Filter); err != nil {
		return q, "", err
	}
	q.Text, note = cleanQuery(q.Text)
	return q, note, nil
}

// checkFilter refuses what the database cannot compare with.
func checkFilter(f wiki.Filter) (wiki.Filter, error) {
	if !utf8.ValidString(string(f.Category)) || strings.ContainsRune(string(f.Category), 0) {
		return f, wiki.Invalid("category", "category must be UTF-8 text without NUL")
	}
	for _, tag := range f.Tags {
		if !utf8.ValidString(tag) || strings.ContainsRune(tag, 0) {
			return f, wiki.Invalid("tags", "a tag must be UTF-8 text without NUL")
		}
	}
	return f, nil
}

func cleanQuery(text string) (_, note string) {
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, " "), "\x00", " "))
	runes := 0
	for pos := range text {
		if runes == MaxQueryRunes {
			return text[:pos], noteCut
		}
		runes++
	}
	return text, ""
}

// Search answers a query. Errors: CodeInvalid on the field at fault (a text is never at fault, but without one the filter
// must say something); CodeSemanticDown when only the semantic lane was asked for and it is down; CodeOverloaded and
// CodeTimeout from the database. When both lanes were asked for and the semantic one is down, the keyword lane answers and
// the page says so (cases 50).
func (s *Service) Search(ctx context.Context, actor wiki.Actor, q Query) (Page, error) {
	q, note, err := q.checked()
	if err != nil {
		return Page{}, err
	}
	var page Page
	if q.Text == "" {
		page, err = s.list(ctx, actor, q)
	} else {
		page, err = s.ranked(ctx, actor, q)
	}
	if err != nil {
		return Page{}, err
	}
	page.Note = join(note, page.Note)
	s.note(ctx, actor, page)
	return page, nil
}

// note records the merged page, once.
func (s *Service) note(ctx context.Context, actor wiki.Actor, page Page) {
	ids := make([]uuid.UUID, len(page.Hits))
	for i, h := range page.Hits {
		ids[i] = h.ID
	}
	s.usage.Note(ctx, actor, usage.Search, ids, map[string]any{"mode": string(page.Mode), "offset": page.Offset})
}

func (s *Service) ranked(ctx context.Context, actor wiki.Actor, q Query) (Page, error) {
	look, err := s.prepare(ctx, actor, q, q.Explain || s.settings.Fusion.Method == wiki.FuseByScore)
	if err != nil {
		return Page{}, err
	}
	page := Page{Limit: q.Limit, Offset: q.Offset}
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		pool, err := s.gather(ctx, tx, look)
		if err != nil {
			return err
		}
		order := s.order(pool, tx.Now)
		cut := order[min(q.Offset, len(order)):min(q.Offset+q.Limit, len(order))]
		page.Total, page.Scope, page.HasMore = len(order), pool.scope(), q.Offset+q.Limit < len(order)
		page.Hits, err = s.hits(ctx, tx, look, pool, cut)
		return err
	})
	page.label(look)
	return page, err
}

// label says how the page was answered.
func (p *Page) label(l *look) {
	p.Mode, p.Degraded, p.DegradedReason, p.Note = l.answered, l.reason != "", l.reason, l.note
}

func join(notes ...string) string {
	var kept []string
	for _, n := range notes {
		if n != "" {
			kept = append(kept, n)
		}
	}
	return strings.Join(kept, "; ")
}
