package conflicts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Group is an article that stands in several pairs of the queue: one look at it may settle them all (case 85).
type Group struct {
	Article    uuid.UUID
	Title      string
	Category   wiki.Category
	Status     wiki.Status
	Pairs      int       // two or more
	Similarity float64   // of the nearest pair; 0 when none was measured
	Oldest     time.Time // when the first of them was flagged
}

// GroupPage is a part of the groups.
type GroupPage struct {
	Items []Group
	Next  string // cursor of the next page; empty = this is the last
}

// An article of a pair that the actor sees is one that it sees: the last join names it and hides none.
var (
	pairsSQL = `with pair as (select p.first_id, p.second_id, p.similarity, p.flagged_at`

	groupedSQL = `), side as (
  select x.id, count(*) as pairs, max(similarity) as similarity, min(flagged_at) as oldest
  from pair cross join lateral (values (first_id), (second_id)) x (id) group by x.id having count(*) > 1
)
select s.id, t.title, t.category, t.status, s.pairs, s.similarity, s.oldest from side s join articles t on t.id = s.id and ` + postgres.VisibleTo("t") + `
where @from_start or (s.pairs, s.id) < (@pairs, @last) order by s.pairs desc, s.id desc limit @limit`
)

// Groups gives the articles that stand in more than one pair under the filter, those in the most pairs first; a filter by
// Article then gives a group's pairs. Sort means nothing here. It reads all pairs under the filter: it is a heavy read.
func (s Service) Groups(ctx context.Context, actor wiki.Actor, f Filter) (GroupPage, error) {
	cursor := f.Cursor
	f.Cursor = ""
	if _, err := f.validate(); err != nil {
		return GroupPage{}, err
	}
	last, err := readGroupToken(cursor)
	if err != nil {
		return GroupPage{}, err
	}
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return GroupPage{}, err
	}
	var page GroupPage
	err = s.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		own := f.args(tx.Now, place{start: cursor == ""})
		own["pairs"], own["last"] = last.Pairs, last.Article
		from := seenPairs + mayBeSeen
		if f.needsNoArticle(actor) {
			from = allPairs
		}
		rows, err := tx.Query(ctx, pairsSQL+from+inState[f.State]+groupedSQL, args(actor, own))
		if err != nil {
			return fmt.Errorf("conflicts: read groups: %w", err)
		}
		if page.Items, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Group]); err != nil {
			return fmt.Errorf("conflicts: read groups: %w", err)
		}
		return nil
	})
	if err != nil {
		return GroupPage{}, err
	}
	if len(page.Items) > f.Limit {
		page.Items = page.Items[:f.Limit]
		page.Next = groupToken{page.Items[f.Limit-1].Pairs, page.Items[f.Limit-1].Article}.String()
	}
	return page, nil
}

// groupToken is where a page of groups ended.
type groupToken struct {
	Pairs   int       `json:"n"`
	Article uuid.UUID `json:"a"`
}

func (t groupToken) String() string {
	raw, _ := json.Marshal(t) // a number and an id: it cannot fail
	return base64.RawURLEncoding.EncodeToString(raw)
}

func readGroupToken(cursor string) (t groupToken, err error) {
	if cursor == "" {
		return t, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil || t.Article == uuid.Nil {
		return t, badParameter("cursor", "the cursor is not one of this listing; start without one")
	}
	return t, nil
}
