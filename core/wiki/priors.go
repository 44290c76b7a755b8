package wiki

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Priors are the factors that a fused score is multiplied by before the cut (facts §4.4). They see only RankingFacts: no
// weight may key on how a document got in (seed, "Ranking must never key on HOW a document got in").
type Priors struct {
	RecencyWeight      float64       // share of the score that age can take, 0..1
	RecencyScale       time.Duration // age at which that share has fallen to 1/e
	CategoryStrength   float64       // added per unit of category weight
	RetiredFactor      float64       // for tag verdict-kill and superseded
	HubFactor          float64       // for index hubs; 1 switches the demotion off
	ImportanceStrength float64       // 0 = off, as shipped
}

// Settings of the priors (facts §4.4).
const (
	DefaultRecencyWeight    = 0.3
	DefaultRecencyScale     = 30 * 24 * time.Hour
	DefaultCategoryStrength = 0.05
	DefaultRetiredFactor    = 0.5
	DefaultHubFactor        = 0.25

	minCategoryFactor   = 0.9
	maxCategoryFactor   = 1.1
	maxImportanceFactor = 1.1
	importanceFullDays  = 30 // read days at which the signal is 1

	// TagVerdictKill marks doctrine that a verdict has killed.
	TagVerdictKill = "verdict-kill"
	// HubKeyPrefix is the idempotency key prefix of index hubs. A tag must never mark one: callers write tags.
	HubKeyPrefix = "moc:"
)

// DefaultPriors gives the shipped settings; importance is off.
func DefaultPriors() Priors {
	return Priors{
		RecencyWeight: DefaultRecencyWeight, RecencyScale: DefaultRecencyScale, CategoryStrength: DefaultCategoryStrength,
		RetiredFactor: DefaultRetiredFactor, HubFactor: DefaultHubFactor,
	}
}

// categoryWeights is editorial authority by category (facts §4.4); a category that is not listed weighs nothing.
var categoryWeights = map[Category]float64{
	"decision": 1, "playbook": 1, "finding": 0.9, "reference": 0.8, "pattern": 0.7, CategoryConvention: 0.6, "insight": 0.6,
	"entity": 0.4, "quote": 0.3, "question": 0.3, "idea": 0.2,
}

// RankingFacts is all that ranking may know of an article besides its relevance.
type RankingFacts struct {
	Category         Category
	Tags             []string
	Status           Status
	Hub              bool // its idempotency key begins with HubKeyPrefix
	ContentChangedAt time.Time
	UpdatedAt        time.Time // read only when ContentChangedAt is zero
	ReadDays         *int      // nil = not measured
}

// IsHub says whether an idempotency key marks an index hub.
func IsHub(idempotencyKey string) bool { return strings.HasPrefix(idempotencyKey, HubKeyPrefix) }

// Factors gives each prior's factor for an article, by name: recency, category, demotion, importance.
func (p Priors) Factors(f RankingFacts, now time.Time) map[string]float64 {
	return map[string]float64{
		"recency": p.recency(f, now), "category": p.category(f.Category), "demotion": p.demotion(f), "importance": p.importance(f.ReadDays),
	}
}

// Factor is the product of Factors.
func (p Priors) Factor(f RankingFacts, now time.Time) float64 {
	return p.recency(f, now) * p.category(f.Category) * p.demotion(f) * p.importance(f.ReadDays)
}

// recency falls with the age of the last authored change: 1 - w + w*exp(-age/scale). A re-embedding, a link or a
// suppression makes nothing fresh (seed, "Recency ranks AUTHORED age").
func (p Priors) recency(f RankingFacts, now time.Time) float64 {
	return 1 - p.RecencyWeight + p.RecencyWeight*p.Freshness(f, now)
}

// Freshness is exp(-age/scale) of the last authored change: 1 for what was just written, falling towards 0.
func (p Priors) Freshness(f RankingFacts, now time.Time) float64 {
	changed := f.ContentChangedAt
	if changed.IsZero() {
		changed = f.UpdatedAt
	}
	if p.RecencyScale <= 0 {
		return 1
	}
	return math.Exp(-float64(max(now.Sub(changed), 0)) / float64(p.RecencyScale))
}

func (p Priors) category(c Category) float64 {
	return min(max(1+p.CategoryStrength*categoryWeights[c], minCategoryFactor), maxCategoryFactor)
}

func (p Priors) demotion(f RankingFacts) float64 {
	factor := 1.0
	if f.Status == StatusSuperseded || slices.Contains(f.Tags, TagVerdictKill) {
		factor *= p.RetiredFactor
	}
	if f.Hub {
		factor *= p.HubFactor
	}
	return factor
}

// importance lifts what is read on many days, by at most a tenth, and lowers nothing: it breaks ties and no more (seed,
// "Importance ranks USAGE, and only upward"). What was not measured is left as it is.
func (p Priors) importance(readDays *int) float64 {
	if readDays == nil || p.ImportanceStrength <= 0 {
		return 1
	}
	signal := math.Log1p(float64(max(*readDays, 0))) / math.Log1p(importanceFullDays)
	return min(max(1+p.ImportanceStrength*signal, 1), maxImportanceFactor)
}
