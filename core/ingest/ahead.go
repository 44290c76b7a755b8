package ingest

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"wiki/core/articles"
	"wiki/core/bundle"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// A batch is large enough to keep all cores busy with short documents, and small enough that progress moves.
const (
	batchDocs  = 16
	batchBytes = 32 << 10
)

// item is one file on its way.
type item struct {
	file   bundle.File
	doc    bundle.Document
	err    error           // the file's own
	before *answer         // the answer that it got before the run was stopped
	vector record.Embedded // made ahead of the gate
}

// batch is a few files whose vectors are made together.
type batch struct {
	items []*item
	ready chan struct{} // closed when the vectors are there
}

func (b *batch) wait(ctx context.Context) error {
	select {
	case <-b.ready:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readAhead reads the files in order and embeds them in batches, as many at a time as fit the channel. It ends when all
// are sent or the run is stopped.
func (w *work) readAhead(ctx context.Context, group *errgroup.Group, files []bundle.File, ahead chan<- *batch) error {
	b := &batch{ready: make(chan struct{})}
	size := 0
	send := func() error {
		full := b
		group.Go(func() error {
			defer close(full.ready)
			w.embed(ctx, full)
			return nil
		})
		select {
		case ahead <- full:
		case <-ctx.Done():
			return ctx.Err()
		}
		b, size = &batch{ready: make(chan struct{})}, 0
		return nil
	}
	for _, f := range files {
		it := w.read(f)
		b.items = append(b.items, it)
		if it.err == nil && it.before == nil {
			size += len(it.doc.Body)
		}
		if len(b.items) >= batchDocs || size >= batchBytes {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if len(b.items) == 0 {
		return nil
	}
	return send()
}

func (w *work) read(f bundle.File) *item {
	it := &item{file: f, err: f.Err}
	if f.Skip != "" || f.Err != nil {
		return it
	}
	it.doc, it.err = w.src.Read(f.Path)
	// What failed is asked again: the cause may be gone.
	if a, ok := w.run.before[f.Path]; ok && it.err == nil && a.hash == it.doc.FileHash && a.file.Outcome != Failed {
		it.before = &a
	}
	return it
}

// embed makes a batch's vectors. A failure is no error here: the gate tries once more and says what came of it.
func (w *work) embed(ctx context.Context, b *batch) {
	fresh := w.fresh(ctx, b)
	texts := make([]string, len(fresh))
	for i, it := range fresh {
		texts[i] = embedding.ArticleText(it.doc.Title, it.doc.Body)
	}
	if len(texts) == 0 {
		return
	}
	docs, err := w.Embedder.Embed(ctx, texts)
	switch {
	case err == nil:
		for i, it := range fresh {
			it.vector = record.Embedded{Document: &docs[i], Hash: wiki.ContentHash(it.doc.Title, it.doc.Body)}
		}
	case wiki.ErrorCode(err) == wiki.CodeInvalid: // one of them has no words
		for _, it := range fresh {
			it.vector, _ = record.Embed(ctx, w.Embedder, it.doc.Title, it.doc.Body)
		}
	}
}

// fresh gives the batch's documents that have no article yet. The gate answers the others by their idempotency key, so
// that a second import of a folder costs no vectors.
func (w *work) fresh(ctx context.Context, b *batch) []*item {
	var fresh []*item
	err := w.DB.TenantRead(ctx, w.actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		fresh = nil
		for _, it := range b.items {
			if it.file.Skip != "" || it.err != nil || it.before != nil {
				continue
			}
			_, err := articles.ByIdempotencyKey(ctx, tx, w.actor, w.key(it.file.Path), "")
			if wiki.ErrorCode(err) == wiki.CodeNotFound {
				fresh = append(fresh, it)
			} else if err != nil {
				return fmt.Errorf("ingest: look for %s: %w", it.file.Path, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return fresh
}
