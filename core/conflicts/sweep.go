package conflicts

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// sweptNeighbours is how many of an article's nearest are compared with it.
const sweptNeighbours = 10

// Sweep is a part of the nightly look at all published articles for what no writer's gate has seen: pairs that came to be
// alike when one was published, brought back or embedded later, and flags that hold no longer or hold again.
type Sweep struct {
	After    uuid.UUID // articles up to this one have been looked at
	Look     int       // articles
	Acts     int       // pairs to raise or to let go, at most
	Rehearse bool      // change nothing
}

// Swept is what a sweep did.
type Swept struct {
	Articles int       // looked at
	Last     uuid.UUID // the last of them: the next sweep begins after it
	More     bool      // there may be more to look at
	Pairs    []SweptPair
}

// SweptPair is a pair that a sweep acted on, or did not.
type SweptPair struct {
	Pair    wiki.Pair
	Entered bool // it is in the queue by it
	Lapsed  bool // it left the queue by it: its texts are no longer alike
	Cosine  wiki.Cosine
	Err     error // it could not be; neither of the two
}

// Sweep looks at the next articles. A pair whose verdict stands, and one that is in the queue, stay as they are.
func (s Service) Sweep(ctx context.Context, actor wiki.Actor, w Sweep) (swept Swept, err error) {
	if err := actor.Require(wiki.RoleUser); err != nil {
		return swept, err
	}
	swept.Last = w.After
	var page []wiki.Article
	if err := s.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		page, err = articles.Sweep(ctx, tx, actor, w.After, w.Look)
		return err
	}); err != nil {
		return swept, err
	}
	for _, a := range page {
		found, err := s.suspects(ctx, actor, a)
		if err != nil {
			return swept, err
		}
		for _, b := range found {
			if len(swept.Pairs) >= w.Acts {
				swept.More = true // this article is looked at again
				return swept, nil
			}
			pair, err := s.settle(ctx, actor, a.ID, b, w.Rehearse)
			if err != nil {
				return swept, err
			}
			if pair != nil {
				swept.Pairs = append(swept.Pairs, *pair)
			}
		}
		swept.Articles, swept.Last = swept.Articles+1, a.ID
	}
	swept.More = len(page) == w.Look
	return swept, nil
}

// SweepTotal is how many articles a whole sweep looks at.
func (s Service) SweepTotal(ctx context.Context, actor wiki.Actor) (n int, err error) {
	err = s.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		n, err = articles.CountSweep(ctx, tx, actor)
		return err
	})
	return n, err
}

// suspects compares an article with its neighbours, and with those that it was flagged with. It gives those whose pair with
// it may not be where it belongs.
func (s Service) suspects(ctx context.Context, actor wiki.Actor, a wiki.Article) (found []uuid.UUID, err error) {
	err = s.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		found = nil
		near, err := s.neighbours(ctx, tx, actor, a)
		if err != nil || near == nil {
			return err
		}
		pairs, err := flags.PairsOf(ctx, tx, actor.Tenant, a.ID, maxFollowed)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			id := other(pair, a.ID)
			near = slices.DeleteFunc(near, func(n uuid.UUID) bool { return n == id })
			wrong, err := s.wronglyPlaced(ctx, tx, actor, a, pair)
			if err != nil {
				return err
			}
			if wrong {
				found = append(found, id)
			}
		}
		found = append(found, near...)
		return nil
	})
	return found, err
}

// neighbours are the published articles that the rule flags with a; nil when a has no vector to measure by.
func (s Service) neighbours(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article) ([]uuid.UUID, error) {
	model := s.Record.Embedder.Model().ID
	own, err := s.Record.Vectors.Load(ctx, tx, model, []uuid.UUID{a.ID})
	if err != nil || own[a.ID] == nil {
		return nil, err
	}
	nearest, err := s.Record.Vectors.Nearest(ctx, tx, vectors.Query{
		Model: model, Vector: own[a.ID], Whole: true, Limit: sweptNeighbours, PublishedOnly: true, Viewer: actor, Exclude: []uuid.UUID{a.ID},
	})
	if err != nil {
		return nil, err
	}
	alike, ids := s.alike(), []uuid.UUID(nil)
	nearest = slices.DeleteFunc(nearest, func(n vectors.Neighbour) bool { return n.Cosine < min(alike.LowNoveltyAt, alike.ConflictAt) })
	for _, n := range nearest {
		ids = append(ids, n.Article)
	}
	texts, err := articles.GetMany(ctx, tx, actor, ids)
	if err != nil {
		return nil, err
	}
	near := []wiki.Near{}
	for _, n := range nearest {
		if b, found := texts[n.Article]; found && ranked(a) && ranked(b) && wiki.Comparable(a, b) {
			near = append(near, wiki.Near{ID: b.ID, Cosine: n.Cosine, Title: b.Title, Body: b.Body, Canon: b.Scope == wiki.ScopeSystem})
		}
	}
	flagged := []uuid.UUID{}
	for _, c := range wiki.Judge(a.Title, a.Body, near, alike).Flags(wiki.StatusPublished) {
		flagged = append(flagged, c.ID)
	}
	return flagged, nil
}

// alike are the lines of the model in use.
func (s Service) alike() wiki.Thresholds {
	model := s.Record.Embedder.Model()
	return wiki.Thresholds{
		DuplicateAt: wiki.Cosine(model.DuplicateAt), LowNoveltyAt: wiki.Cosine(model.LowNoveltyAt), ConflictAt: wiki.Cosine(model.ConflictAt),
	}
}

// wronglyPlaced says whether a pair that was flagged, or judged, isn't where its texts would put it now.
func (s Service) wronglyPlaced(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a wiki.Article, pair wiki.Pair) (bool, error) {
	c, err := flags.Read(ctx, tx, actor.Tenant, pair)
	if err != nil || outOfUse(c) || c.State() == wiki.ConflictJudged {
		return false, err
	}
	now, err := s.compare(ctx, tx, actor, a.ID, other(pair, a.ID))
	if err != nil || now == nil {
		return false, err
	}
	if c.State() == wiki.ConflictSettled {
		judged := c.Decision().JudgedAt
		return now.alike && now.compared && (now.a.ContentChangedAt.After(judged) || now.b.ContentChangedAt.After(judged)), nil
	}
	flag := systemFlag(c)
	if flag == nil || flag.Lapsed != "" {
		return now.alike && now.compared, nil
	}
	return !now.alike, nil
}

// comparison is how two articles stand to each other.
type comparison struct {
	a, b      wiki.Article
	cosine    wiki.Cosine
	differing []wiki.Difference // First is as it stands in a
	alike     bool              // as the rule that flags has it
	compared  bool              // the rule looks at such a pair: both are published, and neither is hidden from the other's readers
}

// compare measures two articles as they are now; nil when one is gone or has no vector.
func (s Service) compare(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a, b uuid.UUID) (*comparison, error) {
	both, err := articles.GetMany(ctx, tx, actor, []uuid.UUID{a, b})
	if err != nil || len(both) != 2 {
		return nil, err
	}
	cosines, err := s.Record.Vectors.Between(ctx, tx, s.Record.Embedder.Model().ID, a, []uuid.UUID{b})
	cosine, measured := cosines[b]
	if err != nil || !measured {
		return nil, err
	}
	now := comparison{a: both[a], b: both[b], cosine: cosine}
	now.differing = wiki.Differences(embedding.ArticleText(now.a.Title, now.a.Body), embedding.ArticleText(now.b.Title, now.b.Body))
	now.alike = s.alike().StillAlike(cosine, now.differing)
	now.compared = ranked(now.a) && ranked(now.b) && now.b.Scope != wiki.ScopeSystem && wiki.Comparable(now.a, now.b)
	return &now, nil
}

// ranked says whether a ranked read may offer an article. An index hub has nothing to say that another could contradict.
func ranked(a wiki.Article) bool {
	return a.Status == wiki.StatusPublished && !a.Suppressed() && !wiki.IsHub(a.IdempotencyKey)
}

// settle puts a pair where it belongs, in a transaction of its own; nil when it was there. The error is of the whole sweep.
func (s Service) settle(ctx context.Context, actor wiki.Actor, a, b uuid.UUID, rehearse bool) (*SweptPair, error) {
	pair, err := wiki.NewPair(a, b)
	if err != nil {
		return nil, err
	}
	var done SweptPair
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		done = SweptPair{Pair: pair}
		if err = s.place(ctx, tx, actor, a, b, &done); err == nil && rehearse {
			err = errRehearsed
		}
		return err
	})
	switch {
	case errors.Is(err, errRehearsed), err == nil:
		if !done.Entered && !done.Lapsed {
			return nil, nil
		}
		return &done, nil
	case wiki.ErrorCode(err) == wiki.CodeNotFound: // an article was deleted meanwhile
		return nil, nil
	case ctx.Err() != nil, wiki.ErrorCode(err) == wiki.CodeUnavailable:
		return nil, err
	}
	done.Entered, done.Lapsed, done.Err = false, false, err
	return &done, nil
}

// place asks again in the transaction, since the texts may have changed since the look, and then raises the pair or lets
// its flag lapse.
func (s Service) place(ctx context.Context, tx postgres.Tx, actor wiki.Actor, a, b uuid.UUID, done *SweptPair) error {
	now, err := s.compare(ctx, tx, actor, a, b)
	if err != nil || now == nil {
		return err
	}
	done.Cosine = now.cosine
	if now.alike {
		if !now.compared {
			return nil
		}
		raise := flags.New{A: a, B: b, System: true, Similarity: float64(now.cosine), Differing: now.differing}
		_, done.Entered, err = flags.Raise(ctx, tx, actor, raise)
		return err
	}
	c, err := flags.Lock(ctx, tx, actor.Tenant, done.Pair)
	if err != nil {
		return err
	}
	flag := systemFlag(c)
	if flag == nil || flag.Lapsed != "" || outOfUse(c) || c.State() != wiki.ConflictOpen {
		return nil
	}
	done.Lapsed = true
	return lapse(ctx, tx, actor, c, *flag, now.a, now.cosine)
}
