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

// graph adds the neighbours of the best candidates. A neighbour's score is the sum of what its seeds give, each by its
// rank, so that what several good articles point at comes first.
func (s *Service) graph(ctx context.Context, tx postgres.Tx, l *look, p *pool) error {
	lane := s.settings.Graph
	if lane.Seeds < 1 || s.settings.Fusion.Weights[wiki.LaneGraph] <= 0 || len(p.candidates) == 0 {
		return nil
	}
	defer timing.Span(ctx, "graph")()
	seeds := idsOf(s.fusedHead(p, lane.Seeds))
	edges, err := articles.Neighbours(ctx, tx, l.actor, l.query.Filter, seeds, "", max(lane.Links/len(seeds), 1))
	if err != nil {
		return err
	}
	given := map[uuid.UUID]map[uuid.UUID]bool{}
	for _, e := range edges {
		if given[e.Neighbour] == nil {
			given[e.Neighbour] = map[uuid.UUID]bool{}
		}
		given[e.Neighbour][e.Seed] = true // two links between the same two count once
	}
	for i, n := range rankNeighbours(seeds, given, lane.Neighbours) {
		p.add(n.ID).Lanes[wiki.LaneGraph] = wiki.LaneScore{Rank: i + 1, Raw: n.Score}
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

func rankNeighbours(seeds []uuid.UUID, given map[uuid.UUID]map[uuid.UUID]bool, most int) []wiki.Scored {
	out := make([]wiki.Scored, 0, len(given))
	for id, from := range given {
		n := wiki.Scored{ID: id}
		for i, seed := range seeds { // in their order, so that equal inputs give equal floats
			if from[seed] {
				n.Score += 1 / float64(wiki.DefaultRankConstant+i+1)
			}
		}
		out = append(out, n)
	}
	wiki.SortScored(out)
	return out[:min(most, len(out))]
}
