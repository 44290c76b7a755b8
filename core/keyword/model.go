package keyword

import (
	"math"

	"github.com/google/uuid"
)

// BM25's constants (reference keyword-lane: others tried are within 0.01 nDCG or worse).
const (
	k1 = 1.2  // how soon a word's repetition stops counting
	b  = 0.75 // how much a long article is held against it
	// unknownIDF is the share of the highest idf that a word which no article holds adds to the upper bound.
	unknownIDF = 0.5
)

// maxSlots is how many different words a query looks at: a set of them is the bits of one number.
const maxSlots = 64

// model is a query's words with what the collection says of them. Its slots are the words that score, and behind them
// those that only conditions name.
type model struct {
	tenant   uuid.UUID
	scoring  int     // slots that score
	own      []int64 // ids among the tenant's articles, by slot
	canon    []int64 // ids among system canon
	df       []int   // articles that hold the word
	docs     int     // articles in all
	avg      float64 // terms an article
	required []clause
	excluded []clause
	must     uint64   // slots that a found article has, all of them
	mustNot  []uint64 // sets of slots of which no found article has all
}

func newModel(tenant uuid.UUID, q parsed) *model {
	slots := q.terms[:min(len(q.terms), maxSlots)]
	m := &model{tenant: tenant, scoring: len(slots), required: q.required, excluded: q.excluded}
	at := make(map[string]int, len(slots))
	for i, t := range slots {
		at[t] = i
	}
	set := func(c clause) (bits uint64, fits bool) {
		for _, t := range c.terms {
			i, known := at[t]
			if !known && len(slots) == maxSlots {
				return bits, false
			}
			if !known {
				i = len(slots)
				at[t], slots = i, append(slots[:i:i], t)
			}
			bits |= 1 << i
		}
		return bits, true
	}
	for _, c := range q.required { // where a word doesn't fit, the phrase is still looked for in the text
		bits, _ := set(c)
		m.must |= bits
	}
	for _, c := range q.excluded {
		if bits, fits := set(c); fits && c.phrase == "" {
			m.mustNot = append(m.mustNot, bits)
		}
	}
	m.own, m.canon, m.df = termIDs(tenant, slots), termIDs(uuid.Nil, slots), make([]int, len(slots))
	return m
}

func termIDs(tenant uuid.UUID, terms []string) []int64 {
	ids := make([]int64, len(terms))
	for i, t := range terms {
		ids[i] = termID(tenant, t)
	}
	return ids
}

// ids gives the words' ids in one of the two scopes.
func (m *model) ids(canon bool) []int64 {
	if canon {
		return m.canon
	}
	return m.own
}

// admits applies the conditions that the words of an article tell.
func (m *model) admits(held uint64) bool {
	if held&m.must != m.must {
		return false
	}
	for _, set := range m.mustNot {
		if held&set == set {
			return false
		}
	}
	return true
}

// weights are the factors of a word's part of a score that are the same for all articles.
type weights struct {
	idf        []float64 // times k1+1
	flat, long float64
}

func (m *model) weights() weights {
	w := weights{idf: make([]float64, len(m.df)), flat: k1 * (1 - b), long: k1 * b / m.avg}
	for i := range m.scoring {
		w.idf[i] = m.idf(i) * (k1 + 1)
	}
	return w
}

// part is what one word adds to an article's score.
func (w *weights) part(slot int, tf uint8, length int) float64 {
	n := float64(tf)
	return w.idf[slot] * n / (n + w.flat + w.long*float64(length))
}

// score adds up the parts of a packed row, in the order in which postings are added up, so that both come to the same.
func (m *model) score(w *weights, packed []byte, length int, canon bool) (total float64) {
	length = min(length, maxPostingLen)
	for slot, id := range m.ids(canon) {
		if tf := frequency(packed, id); tf > 0 {
			total += w.part(slot, tf, length)
		}
	}
	return total
}

func (m *model) idf(slot int) float64 {
	df, docs := float64(m.df[slot]), float64(max(m.docs, m.df[slot]))
	return math.Log(1 + (docs-df+0.5)/(df+0.5))
}

// upper is more than any article can score. A word that no article holds counts half: the query asked for it.
func (m *model) upper() float64 {
	sum := 0.0
	for slot := range m.scoring {
		share := 1.0
		if m.df[slot] == 0 {
			share = unknownIDF
		}
		sum += share * m.idf(slot)
	}
	return (k1 + 1) * sum
}
