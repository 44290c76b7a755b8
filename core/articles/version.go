package articles

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Version is one state of an article. The newest is the article itself and has no ValidTo, Reason or ChangedBy.
type Version struct {
	Article   uuid.UUID
	Number    int
	Title     string
	Body      string // empty in a listing
	Category  wiki.Category
	Status    wiki.Status
	Tags      []string
	Metadata  map[string]any
	Reason    string     // of the change that ended it
	ChangedBy wiki.Stamp // who ended it
	ValidFrom time.Time
	ValidTo   *time.Time
}

var versionsSQL = `select v.version, v.title, case when @with_body then v.body else '' end, v.category, v.status, v.tags, v.metadata,
	v.reason, v.changed_by, v.valid_from, v.valid_to
from article_versions v join articles a on a.id = v.article_id
where v.article_id = @id and (@number = 0 or v.version = @number) and ` + visible + `
order by v.version desc`

// Versions gives an article's history without bodies, newest first, the standing version included.
func Versions(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID) ([]Version, error) {
	current, err := Get(ctx, tx, actor, id)
	if err != nil {
		return nil, err
	}
	earlier, err := earlierVersions(ctx, tx, actor, id, 0, false)
	if err != nil {
		return nil, err
	}
	now := standing(current, earlier)
	now.Body = ""
	return append([]Version{now}, earlier...), nil
}

// VersionOf gives one state of an article with its body; NotFound when there is no such version.
func VersionOf(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, number int) (Version, error) {
	current, err := Get(ctx, tx, actor, id)
	if err != nil {
		return Version{}, err
	}
	if number == current.Version {
		earlier, err := earlierVersions(ctx, tx, actor, id, number-1, false)
		return standing(current, earlier), err
	}
	if number < 1 || number > current.Version {
		return Version{}, wiki.NotFound()
	}
	earlier, err := earlierVersions(ctx, tx, actor, id, number, true)
	if err == nil && len(earlier) == 0 {
		err = wiki.NotFound()
	}
	if err != nil {
		return Version{}, err
	}
	return earlier[0], nil
}

// earlierVersions reads one past version, or with number 0 all of them.
func earlierVersions(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, number int, withBody bool) ([]Version, error) {
	rows, err := tx.Query(ctx, versionsSQL, with(actor, pgx.NamedArgs{"id": id, "number": number, "with_body": withBody}))
	return some(rows, err, "versions", func(row pgx.CollectableRow) (Version, error) {
		v := Version{Article: id}
		var metadata []byte
		if err := row.Scan(&v.Number, &v.Title, &v.Body, &v.Category, &v.Status, &v.Tags, &metadata, &v.Reason, &v.ChangedBy,
			&v.ValidFrom, &v.ValidTo); err != nil {
			return v, err
		}
		var err error
		v.Metadata, err = decodeObject(metadata)
		return v, err
	})
}

// content is what a version keeps of its article, to be compared with another version's.
func (v Version) content() wiki.Article {
	return wiki.Article{Title: v.Title, Body: v.Body, Category: v.Category, Status: v.Status, Tags: v.Tags, Metadata: v.Metadata}
}

func standing(a wiki.Article, earlier []Version) Version {
	v := Version{
		Article: a.ID, Number: a.Version, Title: a.Title, Body: a.Body, Category: a.Category, Status: a.Status, Tags: a.Tags,
		Metadata: a.Metadata, ValidFrom: a.InsertedAt,
	}
	if len(earlier) > 0 {
		v.ValidFrom = *earlier[0].ValidTo
	}
	return v
}
