package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/eval"
	"wiki/core/ingest"
	"wiki/core/wiki"
)

// codeRegression is the command's own code: the wiki works, and finds less than it did.
const codeRegression wiki.Code = "eval_regression"

// evalFlags say what is measured.
type evalFlags struct {
	collection, baseline, writeBaseline string
	gate                                bool
	pairs                               string
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use: "eval", Short: "Measure how well the wiki finds what is asked for", Args: noArgs,
		Long: "Asks the golden questions and compares with the baseline; any regression ends with exit code 1. With --collection a public\n" +
			"test collection is scored instead. Everything is measured in a throwaway tenant, on the path that requests take, with real\n" +
			"embeddings. With --gate the write gate is measured instead, on labelled pairs of pages; --pairs adds a directory of graded\n" +
			"sentence pairs. It can be stopped at any moment: what was embedded is kept for the next run, and the tenant is deleted.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.gate || f.pairs != "" {
				return a.evalGate(cmd.Context(), f)
			}
			if f.collection != "" {
				return a.evalCollection(cmd.Context(), f)
			}
			return a.evalGolden(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.collection, "collection", "", "directory of a public test collection: corpus, queries, qrels")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "file to compare with; default the one that was released")
	cmd.Flags().StringVar(&f.writeBaseline, "write-baseline", "", "file to write these results to, for a reviewed change of the ranking")
	cmd.Flags().BoolVar(&f.gate, "gate", false, "measure the write gate: precision and recall for each threshold; a pair of two statements that would be a duplicate ends with exit code 1")
	cmd.Flags().StringVar(&f.pairs, "pairs", "", "directory of graded sentence pairs for --gate: CSV of two sentences and a grade from 0 to 5")
	return cmd
}

// measure loads a set and runs arms on it, with progress, and a line for each arm.
func (a *app) measure(ctx context.Context, set eval.Set, arms []eval.Arm) (results []eval.Result, model string, err error) {
	err = a.withCore(ctx, func(ctx context.Context, c *core.Core) error {
		model = c.Embedder.Model().ID
		b, cache, err := a.bench(c)
		if err != nil {
			return err
		}
		defer func() { _ = cache.Close() }() // what is in it was written as it was made
		p := a.newProgress("Loading " + set.Name)
		return b.With(ctx, set, p.showEval, func(ctx context.Context, l *eval.Loaded) error {
			p.done(fmt.Sprintf("Loaded %d documents of %s; asking %d questions", len(set.Documents), set.Name, len(set.Questions)))
			for _, arm := range arms {
				p := a.newProgress(arm.Name)
				r, err := l.Run(ctx, arm, p.showEval)
				if err != nil {
					return err
				}
				results = append(results, r)
				p.done(metricsLine(arm.Name, r.Mean))
			}
			return nil
		})
	})
	return results, model, err
}

func metricsLine(name string, m eval.Metrics) string {
	return fmt.Sprintf("%-16s nDCG@10 %.4f  R@100 %.4f  MRR %.4f  R@5 %.4f  R@10 %.4f  answered@5 %.4f",
		name, m.NDCG10, m.Recall100, m.MRR, m.Recall5, m.Recall10, m.Answered)
}

// bench opens what measurements run on; the caller closes the cache.
func (a *app) bench(c *core.Core) (eval.Bench, *eval.Cache, error) {
	cache, err := a.vectorCache(c.Embedder.WithTimeout(ingest.EmbedTimeout))
	return eval.Bench{DB: c.DB, Access: c.Access, Record: c.Record, Embedder: cache}, cache, err
}

// vectorCache keeps what measurements embed; the caller closes it.
func (a *app) vectorCache(e embedding.Embedder) (*eval.Cache, error) {
	path := ""
	if a.settings.EmbeddingsURL == "" { // an endpoint may change its model under one name
		path = filepath.Join(a.settings.StateDir, "eval", strings.ReplaceAll(e.Model().ID, "/", "-")+".vectors")
	}
	return eval.NewCache(e, path)
}

func (a *app) evalCollection(ctx context.Context, f evalFlags) error {
	set, err := eval.Collection(f.collection)
	if err != nil {
		return err
	}
	ranking, err := a.ranking()
	if err != nil {
		return err
	}
	results, model, err := a.measure(ctx, set, eval.CollectionArms(ranking))
	if err == nil && a.json {
		err = a.answer(map[string]any{
			"collection": set.Name, "documents": len(set.Documents), "questions": len(set.Questions), "model": model, "arms": results,
		})
	}
	return err
}

func (a *app) evalGolden(ctx context.Context, f evalFlags) error {
	set, err := eval.Golden()
	if err != nil {
		return err
	}
	baseline, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	ranking, err := a.ranking()
	if err != nil {
		return err
	}
	results, model, err := a.measure(ctx, set, eval.GoldenArms(ranking))
	if err != nil {
		return err
	}
	if f.writeBaseline != "" {
		raw, err := eval.NewBaseline(set, model, results).Bytes()
		if err != nil {
			return err
		}
		return os.WriteFile(f.writeBaseline, raw, 0o600)
	}
	verdict := baseline.Compare(set, model, results)
	if a.json {
		err = a.answer(map[string]any{"version": set.Version, "questions": len(set.Questions), "model": model, "arms": results, "verdict": verdict})
	}
	a.listVerdict(verdict)
	if err == nil && len(verdict.Regressions) > 0 {
		err = &wiki.Error{
			Code: codeRegression, Message: fmt.Sprintf("%d regressions against the baseline", len(verdict.Regressions)),
			Remedy: "mend the ranking; only a reviewed change of it gets a new baseline (--write-baseline)",
		}
	}
	return err
}

func readBaseline(path string) (eval.Baseline, error) {
	if path == "" {
		return eval.CommittedBaseline()
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return eval.Baseline{}, wiki.Invalid("baseline", "the baseline cannot be read: %v", err)
	}
	return eval.ParseBaseline(raw)
}

func (a *app) listVerdict(v eval.Verdict) {
	for title, list := range map[string][]eval.Change{"better": v.Winners, "worse": v.Losers} {
		for _, c := range list {
			lost := ""
			if c.Lost {
				lost = ", answer lost"
			}
			a.say("%-6s %-12s %-24s nDCG@10 %.4f -> %.4f%s", title, c.Arm, c.Question, c.Before, c.After, lost)
		}
	}
	for _, r := range v.Regressions {
		a.say("REGRESSION %s", r)
	}
	if len(v.Regressions) == 0 {
		a.say("no regression against the baseline")
	}
}
