package search

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Progressive bounds the progressive index: stubs to choose from, to be opened one by one (facts §8).
type Progressive struct {
	Seeds      int // articles that the topic's words find
	HubLinks   int // relates_to links that make a seed a hub
	Neighbours int // that one hub brings in
}

// Bounds of the progressive index. The upstream system has them as settings whose numbers are not known.
const (
	DefaultProgressiveSeeds      = 10
	DefaultProgressiveHubLinks   = 3
	DefaultProgressiveNeighbours = 5
	// hubLinksRead bounds how many links of a seed are looked at.
	hubLinksRead = 100
)

// DefaultProgressive gives the shipped bounds.
func DefaultProgressive() Progressive {
	return Progressive{Seeds: DefaultProgressiveSeeds, HubLinks: DefaultProgressiveHubLinks, Neighbours: DefaultProgressiveNeighbours}
}

// Found is a stub with how it was found.
type Found struct {
	Stub
	Lanes map[wiki.Lane]wiki.LaneScore
	Hub   *uuid.UUID // the seed whose link led here; nil for a seed
}

// Progressive gives stubs on a topic: what its words find, and one hop along relates_to from the hubs among that. Curated
// ones come first, each part by its rank. CodeInvalid on "topic" without one, and on the filter.
func (s *Service) Progressive(ctx context.Context, actor wiki.Actor, topic string, filter wiki.Filter) (out []Found, note string, err error) {
	topic, note = cleanQuery(topic)
	if topic == "" {
		return nil, "", wiki.Invalid("topic", "a progressive index needs a topic")
	}
	if filter, err = checkFilter(filter); err != nil {
		return nil, "", err
	}
	bounds := s.settings.Progressive
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		words, err := s.keyword.Search(ctx, tx, keyword.Query{Text: topic, Limit: bounds.Seeds, Viewer: actor, Filter: filter})
		if err != nil {
			return err
		}
		found := make([]Found, len(words.Hits))
		for i, h := range words.Hits {
			found[i].ID = h.Article
			found[i].Lanes = map[wiki.Lane]wiki.LaneScore{wiki.LaneKeyword: {Rank: i + 1, Score: h.Absolute(), Known: true, Raw: h.Score}}
		}
		if found, err = hop(ctx, tx, actor, filter, found, bounds); err != nil {
			return err
		}
		out, err = name(ctx, tx, found)
		return err
	})
	return out, note, err
}

// hop adds what the hubs among the seeds are related to.
func hop(ctx context.Context, tx postgres.Tx, actor wiki.Actor, filter wiki.Filter, seeds []Found, bounds Progressive) ([]Found, error) {
	ids, seen := make([]uuid.UUID, len(seeds)), map[uuid.UUID]bool{}
	for i, f := range seeds {
		ids[i], seen[f.ID] = f.ID, true
	}
	edges, err := articles.Neighbours(ctx, tx, actor, filter, ids, articles.Follow{Relation: wiki.RelRelatesTo, Share: hubLinksRead, SeedsToo: true})
	if err != nil {
		return nil, err
	}
	links, taken := map[uuid.UUID]int{}, map[uuid.UUID]int{}
	for _, e := range edges {
		links[e.Seed]++
	}
	rank := 0
	for _, e := range edges { // in the order of their seeds
		if links[e.Seed] < bounds.HubLinks || taken[e.Seed] == bounds.Neighbours || seen[e.Neighbour] {
			continue
		}
		seen[e.Neighbour] = true
		taken[e.Seed]++
		rank++
		seeds = append(seeds, Found{
			Stub: Stub{ID: e.Neighbour}, Hub: &e.Seed, Lanes: map[wiki.Lane]wiki.LaneScore{wiki.LaneGraph: {Rank: rank}},
		})
	}
	return seeds, nil
}

// name fills the stubs in and puts the curated ones first.
func name(ctx context.Context, tx postgres.Tx, found []Found) ([]Found, error) {
	ids := make([]uuid.UUID, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	named, err := stubs(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	curated, rest := []Found{}, []Found{}
	for _, f := range found {
		if f.Stub = named[f.ID]; f.Curated {
			curated = append(curated, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(curated, rest...), nil
}
