// Package vectors keeps the embeddings of articles and is the one door to nearest neighbours: the gate, search and the
// nightly passes all come through it, so that what one caller may see and what is suppressed is decided in one place.
package vectors

import (
	"math"

	"github.com/google/uuid"
	"github.com/pgvector/pgvector-go"

	"wiki/core/wiki"
)

// Store reads and writes the embeddings side table. The zero value is ready to use.
type Store struct {
	// ExactBelow is the number of a tenant's vectors up to which all of them are compared, instead of walking the index.
	// Zero means DefaultExactBelow, and more where a walk would have to go far. Tests set it to choose the path.
	ExactBelow int
}

// DefaultExactBelow: up to this many vectors of one tenant, comparing all of them is as fast as any walk of the index that
// finds 95 % of its neighbours. Measured (BenchmarkNearest, 100,000 vectors): a tenant of 2,000 is compared in 36 ms and walked
// for in 217 with a recall@10 of 0.95, one of 6,000 takes 53 and 57, one of 10,000 takes 97 and 31, on a busy machine.
const DefaultExactBelow = 5000

// walkCost is what a walk of the index pays for each vector that it comes to, where comparing all of them pays 1. It makes the
// two cost the same where they were measured to: at 6,000 of 100,000 vectors for 10 neighbours (in a pool of 60), and between
// 10,000 and 16,000 for the 200 of a search.
const walkCost = 6

func (s Store) exactBelow() int {
	if s.ExactBelow > 0 {
		return s.ExactBelow
	}
	return DefaultExactBelow
}

// far is the number whose product with the number of all tenants' vectors is the square of how many of one tenant's are
// compared as fast as walked past. To fill a pool from a tenant that has n of N vectors, a walk comes to pool*N/n of them.
func (s Store) far(pool int) float64 {
	if s.ExactBelow > 0 {
		return 0
	}
	return walkCost * float64(pool)
}

// Query asks for the articles nearest to a vector.
type Query struct {
	Model         string    // id of the model that made Vector; only its own vectors are compared
	Vector        []float32 // not zero, no NaN
	Whole         bool      // compare whole texts only, as the gate does; otherwise an article counts by its best section
	Limit         int       // articles
	PublishedOnly bool      // leave out drafts, superseded and archived articles, and suppressed ones
	Viewer        wiki.Actor
	Filter        wiki.Filter
	Exclude       []uuid.UUID // articles to leave out
}

// Neighbour is an article near the query.
type Neighbour struct {
	Article uuid.UUID
	Cosine  wiki.Cosine
	Section int // the section that is nearest: 0 = the whole text, 1.. = a part of a long one
}

// half makes the stored form of a vector: unit length, 16-bit floats. A vector without a direction is refused, since no
// distance to it means anything; the provider that made it is at fault.
func half(v []float32) (pgvector.HalfVector, error) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return pgvector.HalfVector{}, &wiki.Error{
			Code: wiki.CodeSemanticDown, Message: "the embedding model gave a vector that has no direction",
			Remedy: "retry; if it happens again, check the embeddings endpoint",
		}
	}
	scale := 1 / math.Sqrt(sum)
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) * scale)
	}
	return pgvector.NewHalfVector(unit), nil
}
