package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/eval"
	"wiki/core/ingest"
	"wiki/core/search"
)

// evalFlags say what is measured.
type evalFlags struct {
	collection string
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use: "eval", Short: "Measure how well the wiki finds what is asked for", Args: noArgs,
		Long: "Everything is measured in a throwaway tenant, on the path that requests take, with real embeddings. It can be stopped at any\n" +
			"moment: what was embedded is kept for the next run, and the tenant is deleted.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.evalCollection(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.collection, "collection", "", "directory of a public test collection: corpus, queries, qrels")
	return cmd
}

// bench opens what measurements run on; the caller closes the cache.
func (a *app) bench(c *core.Core) (eval.Bench, *eval.Cache, error) {
	path := ""
	if a.settings.EmbeddingsURL == "" { // an endpoint may change its model under one name
		path = filepath.Join(a.settings.StateDir, "eval", strings.ReplaceAll(c.Embedder.Model().ID, "/", "-")+".vectors")
	}
	cache, err := eval.NewCache(c.Embedder.WithTimeout(ingest.EmbedTimeout), path)
	return eval.Bench{DB: c.DB, Access: c.Access, Record: c.Record, Embedder: cache}, cache, err
}

func (a *app) evalCollection(ctx context.Context, f evalFlags) error {
	set, err := eval.Collection(f.collection)
	if err != nil {
		return err
	}
	return a.withCore(ctx, func(ctx context.Context, c *core.Core) error {
		b, cache, err := a.bench(c)
		if err != nil {
			return err
		}
		defer func() { _ = cache.Close() }() // what is in it was written as it was made
		p := a.newProgress("Loading " + set.Name)
		var results []eval.Result
		err = b.With(ctx, set, p.showEval, func(ctx context.Context, l *eval.Loaded) error {
			p.done(fmt.Sprintf("Loaded %d documents", len(set.Documents)))
			for _, arm := range eval.CollectionArms(search.DefaultSettings()) {
				p := a.newProgress(arm.Name)
				r, err := l.Run(ctx, arm, p.showEval)
				if err != nil {
					return err
				}
				results = append(results, r)
				p.done(fmt.Sprintf("%-16s nDCG@10 %.4f  R@100 %.4f  MRR %.4f  R@10 %.4f", arm.Name, r.Mean.NDCG10, r.Mean.Recall100, r.Mean.MRR, r.Mean.Recall10))
			}
			return nil
		})
		if err == nil && a.json {
			err = a.writeJSON(map[string]any{"collection": set.Name, "documents": len(set.Documents), "questions": len(set.Questions), "arms": results})
		}
		return err
	})
}
