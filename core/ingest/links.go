package ingest

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/record"
	"wiki/core/wiki"
)

// link turns the links between the pages into relates_to links between their articles, once all of them are there. A link
// to a page that didn't become an article of its own leads nowhere yet; the next import makes it if that changed.
func (w *work) link(ctx context.Context) error {
	type edge struct{ from, to uuid.UUID }
	seen := map[edge]bool{}
	for _, page := range w.links {
		from, ok := w.article(page.path)
		if !ok {
			continue
		}
		for _, l := range page.links {
			target, found := w.index.Resolve(page.path, l)
			to, ok := w.article(target)
			if !found || !ok || to == from || seen[edge{from, to}] {
				continue
			}
			seen[edge{from, to}] = true
			_, created, err := w.Record.Link(ctx, w.actor, record.NewLink{Source: from, Target: to, Relation: wiki.RelRelatesTo}, "")
			switch {
			case wiki.ErrorCode(err) == wiki.CodeInvalid: // an article is gone again
			case err != nil:
				return fmt.Errorf("ingest: link %s to %s: %w", page.path, target, err)
			case created:
				w.report.Links++
			}
		}
	}
	return nil
}

// article gives the article that a file has of its own.
func (w *work) article(path string) (uuid.UUID, bool) {
	a, ok := w.run.answers[path]
	if !ok || !a.own || a.file.Article == nil {
		return uuid.Nil, false
	}
	return *a.file.Article, true
}
