// Package ingest brings folders of documents into the wiki: it reads ahead and embeds on all cores, lets every document
// through the gate in the order of their paths, and keeps each answer, so that a run that was stopped at any moment goes on
// where it was without loss and without doubles.
package ingest

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"wiki/core/bundle"
	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Importer imports folders. All fields but Now and Log are required.
type Importer struct {
	DB       *postgres.DB
	Gate     gate.Service
	Record   record.Service
	Embedder embedding.Embedder // with a longer bound than a query's: nobody waits for one document (EmbedTimeout)
	Now      func() time.Time   // default time.Now; for the rate only
	Log      *slog.Logger       // gets the cause of an internal failure; default slog.Default()
}

// EmbedTimeout bounds the embedding of one batch of documents: the largest document takes under half a minute.
const EmbedTimeout = 2 * time.Minute

// Options of an import.
type Options struct {
	Publish bool   // novel documents are published; otherwise everything lands as a draft (SPEC §10)
	Force   bool   // the writer insists: documents are not compared; titles stay unique all the same
	Name    string // names the source, when it isn't the folder's path: for a folder that moves
	Workers int    // batches of documents that are embedded at a time; default one a core
}

// stored is the part of the options that makes two runs different ones.
func (o Options) stored() map[string]any {
	return map[string]any{"publish": o.Publish, "force": o.Force}
}

// Run imports a folder, or goes on with an import of it that was stopped. progress, which may be nil, is called after every
// file. Role user (facts §3.2).
//
// The report is complete as far as the run came, also beside an error: CodeUnavailable around the context's when it was
// stopped, CodeUnavailable or CodeStorageFull when the database can't go on. A file that fails is an entry of the report, never an error.
func (im Importer) Run(ctx context.Context, actor wiki.Actor, src *bundle.Source, opts Options, progress func(Progress)) (Report, error) {
	report := Report{Source: src.Location(), Format: src.Format(), Counts: map[Outcome]int{}, Files: []File{}}
	if err := actor.Require(wiki.RoleUser); err != nil {
		return report, err
	}
	if opts.Name != "" {
		report.Source = opts.Name
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if src.Format() == bundle.FormatOKF {
		c := src.Conformance()
		report.Conformance = &c
	}
	im.fill()
	r, err := openRun(ctx, im.DB, actor, report.Source, opts)
	if err != nil {
		return report, err
	}
	report.Run = r.id
	w := &work{Importer: im, actor: actor, src: src, opts: opts, run: r, report: &report, index: bundle.NewIndex()}
	started := im.Now()
	err = w.all(ctx, progress)
	report.Elapsed = im.Now().Sub(started)
	report.Finished = err == nil
	return report, err
}

func (im *Importer) fill() {
	if im.Now == nil {
		im.Now = time.Now
	}
	if im.Log == nil {
		im.Log = slog.Default()
	}
}

// work is one call of Run.
type work struct {
	Importer
	actor  wiki.Actor
	src    *bundle.Source
	opts   Options
	run    run
	report *Report
	index  *bundle.Index
	links  []pageLinks
}

// pageLinks are the links of one page, kept until all pages are known.
type pageLinks struct {
	path  string
	links []bundle.Link
}

func (w *work) all(ctx context.Context, progress func(Progress)) error {
	files := w.src.Files()
	group, inner := errgroup.WithContext(ctx)
	ahead := make(chan *batch, w.opts.Workers)
	group.Go(func() error {
		defer close(ahead)
		return w.readAhead(inner, group, files, ahead)
	})
	group.Go(func() error {
		m := meter{now: w.Now, started: w.Now(), total: len(files)}
		for b := range ahead {
			if err := b.wait(inner); err != nil {
				return err
			}
			for _, it := range b.items {
				worked, err := w.answer(inner, it)
				if err != nil {
					return err
				}
				if p := m.step(worked, w.report.Counts); progress != nil {
					progress(p)
				}
			}
		}
		return inner.Err()
	})
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx.Err()) // rather than whatever the cancelling broke
		}
		return err
	}
	if err := w.link(ctx); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx.Err())
		}
		return err
	}
	return w.run.finish(ctx, w.DB)
}

// stopped is the error of a run that its caller ended.
func stopped(cause error) error {
	return &wiki.Error{
		Code: wiki.CodeUnavailable, Message: "the import was stopped; what it did is kept",
		Remedy: "run the same import again: it goes on where it was", Err: cause,
	}
}

// answer gives one file its answer; worked tells whether it took work, or was answered before.
func (w *work) answer(ctx context.Context, it *item) (worked bool, err error) {
	if it.file.Skip != "" {
		w.report.add(File{Path: it.file.Path, Outcome: LeftOut, Message: it.file.Skip})
		return false, nil
	}
	if it.err == nil {
		w.index.Add(it.doc)
		if len(it.doc.Links) > 0 {
			w.links = append(w.links, pageLinks{it.doc.Path, it.doc.Links})
		}
	}
	if it.before != nil {
		w.report.Resumed++
		w.report.add(it.before.file)
		return false, nil
	}
	a := answer{hash: it.doc.FileHash}
	if it.err != nil {
		a.file = failure(it, it.err)
	} else if a, err = w.propose(ctx, it); err != nil {
		return false, err
	}
	// The gate may have stored the document already: its answer is kept even if the run is being stopped.
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	if err := w.run.keep(keep, w.DB, a); err != nil {
		return false, err
	}
	w.report.add(a.file)
	return true, nil
}

// keepTimeout bounds the storing of one answer.
const keepTimeout = 10 * time.Second
