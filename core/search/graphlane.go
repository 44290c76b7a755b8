package search

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/timing"
	"wiki/core/wiki"
)

// GraphLane bounds the lane of graph neighbours: the articles that the best of the other lanes are linked with (SPEC §6).
// Zero Seeds switch it off.
type GraphLane struct {
	Seeds      int // of the fused order's head, whose links are followed
	Neighbours int // that the lane brings in
	Links      int // that are read, the same share for each seed
}

// Bounds of the lane (facts §4.3).
const (
	DefaultGraphSeeds      = 10
	DefaultGraphNeighbours = 20
	DefaultGraphLinks      = 200
)

// DefaultGraphLane gives the documented bounds.
func DefaultGraphLane() GraphLane {
	return GraphLane{Seeds: DefaultGraphSeeds, Neighbours: DefaultGraphNeighbours, Links: DefaultGraphLinks}
}

// graph adds the neighbours of the best candidates. Their order is by the sum of what their seeds give, each by its rank,
// so that what several good articles point at comes first; their score is that of the best seed, as far as words and meaning
// speak for it. A seed is the neighbour of better seeds only: the lesser one never lifts what it was found behind.
func (s *Service) graph(ctx context.Context, tx postgres.Tx, l *look, p *pool) error {
	lane := s.settings.Graph
	if lane.Seeds < 1 || s.settings.Fusion.Weights[wiki.LaneGraph] <= 0 || len(p.candidates) == 0 {
		return nil
	}
	measured := timing.Span(ctx, timing.Graph)
	defer measured()
	head := s.fusedHead(p, lane.Seeds)
	edges, err := articles.Neighbours(ctx, tx, l.actor, l.query.Filter, idsOf(head), articles.Follow{Share: max(lane.Links/len(head), 1), SeedsToo: true})
	if err != nil {
		return err
	}
	place := map[uuid.UUID]int{}
	for i, seed := range head {
		place[seed.ID] = i
	}
	given := map[uuid.UUID]map[int]bool{} // places of the seeds, by neighbour; two links between the same two count once
	for _, e := range edges {
		own, isSeed := place[e.Neighbour]
		if isSeed && own < place[e.Seed] {
			continue
		}
		if given[e.Neighbour] == nil {
			given[e.Neighbour] = map[int]bool{}
		}
		given[e.Neighbour][place[e.Seed]] = true
	}
	for i, n := range rankNeighbours(len(head), given, lane.Neighbours) {
		best := len(head)
		for seed := range given[n.ID] {
			best = min(best, seed)
		}
		p.add(n.ID).Lanes[wiki.LaneGraph] = wiki.LaneScore{
			Rank: i + 1, Score: head[best].Score, Known: s.settings.Fusion.Method == wiki.FuseByScore, Raw: n.Score,
		}
	}
	return nil
}

// fusedHead is the head of the fused order, before the priors.
func (s *Service) fusedHead(p *pool, n int) []wiki.Scored {
	order := make([]wiki.Scored, 0, len(p.candidates))
	for id, c := range p.candidates {
		order = append(order, wiki.Scored{ID: id, Score: s.settings.Fusion.Score(c.Candidate)})
	}
	wiki.SortScored(order)
	return order[:min(n, len(order))]
}

func rankNeighbours(seeds int, given map[uuid.UUID]map[int]bool, most int) []wiki.Scored {
	out := make([]wiki.Scored, 0, len(given))
	for id, from := range given {
		n := wiki.Scored{ID: id}
		for seed := range seeds { // in their order, so that equal inputs give equal floats
			if from[seed] {
				n.Score += 1 / float64(wiki.DefaultRankConstant+seed+1)
			}
		}
		out = append(out, n)
	}
	wiki.SortScored(out)
	return out[:min(most, len(out))]
}
