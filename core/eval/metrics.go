package eval

import "math"

// Depths at which answers are scored.
const (
	nearDepth = 5   // what a caller reads
	pageDepth = 10  // a page
	deepDepth = 100 // what a reranker would be given
)

// Metrics are means over questions, each from 0 to 1. Answered says for which share a page that answers by itself (of the
// highest grade the question has) stands among the first five.
type Metrics struct {
	Questions int     `json:"questions"`
	NDCG5     float64 `json:"ndcg_at_5"`
	NDCG10    float64 `json:"ndcg_at_10"`
	MRR       float64 `json:"mrr"`
	Recall5   float64 `json:"recall_at_5"`
	Recall10  float64 `json:"recall_at_10"`
	Recall100 float64 `json:"recall_at_100"`
	Answered  float64 `json:"answered_at_5"`
}

// score scores one ranked list of document ids against graded relevance. The gain of a grade is the grade itself, as
// TREC's evaluator counts it; MRR takes the first relevant document of the page.
func score(found []string, relevant map[string]int) Metrics {
	m := Metrics{Questions: 1}
	best := 0
	for _, grade := range relevant {
		best = max(best, grade)
	}
	for i, doc := range found[:min(len(found), deepDepth)] {
		grade := relevant[doc]
		if grade == 0 {
			continue
		}
		m.Recall100++
		if i >= pageDepth {
			continue
		}
		m.Recall10++
		m.NDCG10 += discounted(grade, i)
		if m.MRR == 0 {
			m.MRR = 1 / float64(i+1)
		}
		if i < nearDepth {
			m.Recall5++
			m.NDCG5 += discounted(grade, i)
			if grade == best {
				m.Answered = 1
			}
		}
	}
	n := float64(len(relevant))
	m.Recall5, m.Recall10, m.Recall100 = m.Recall5/n, m.Recall10/n, m.Recall100/n
	m.NDCG5, m.NDCG10 = m.NDCG5/ideal(relevant, nearDepth), m.NDCG10/ideal(relevant, pageDepth)
	return m
}

func discounted(grade, place int) float64 { return float64(grade) / math.Log2(float64(place+2)) }

// ideal is the discounted gain of the best possible order.
func ideal(relevant map[string]int, depth int) float64 {
	counts := map[int]int{}
	highest := 0
	for _, grade := range relevant {
		counts[grade]++
		highest = max(highest, grade)
	}
	sum, place := 0.0, 0
	for grade := highest; grade > 0; grade-- {
		for range counts[grade] {
			if place < depth {
				sum += discounted(grade, place)
			}
			place++
		}
	}
	return sum
}

// mean averages the scores of questions.
func mean(all []Metrics) Metrics {
	var m Metrics
	for _, s := range all {
		m.Questions += s.Questions
		for i, v := range s.values() {
			*m.fields()[i] += v
		}
	}
	for _, f := range m.fields() {
		*f /= float64(max(m.Questions, 1))
	}
	return m
}

// metricNames are those of values, in order.
var metricNames = []string{"ndcg@5", "ndcg@10", "mrr", "recall@5", "recall@10", "recall@100", "answered@5"}

func (m *Metrics) fields() []*float64 {
	return []*float64{&m.NDCG5, &m.NDCG10, &m.MRR, &m.Recall5, &m.Recall10, &m.Recall100, &m.Answered}
}

func (m Metrics) values() []float64 {
	out := make([]float64, 0, len(metricNames))
	for _, f := range m.fields() {
		out = append(out, *f)
	}
	return out
}
