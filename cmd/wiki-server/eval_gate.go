package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"wiki/core/embedding"
	"wiki/core/eval"
	"wiki/core/ingest"
	"wiki/core/wiki"
)

// codeWrongDuplicate is the command's own code: the gate would drop what says something else.
const codeWrongDuplicate wiki.Code = "eval_wrong_duplicate"

// evalGate measures the write gate on labelled pairs (SPEC §12). It needs no database.
func (a *app) evalGate(ctx context.Context, f evalFlags) error {
	var graded []eval.Pair
	if f.pairs != "" {
		var err error
		if graded, err = eval.STSPairs(f.pairs); err != nil {
			return err
		}
	}
	model, err := a.embedder()
	if err != nil {
		return err
	}
	cache, err := a.vectorCache(embedding.Guard(model, embedding.GuardConfig{Timeout: ingest.EmbedTimeout}))
	if err != nil {
		return err
	}
	defer func() { _ = cache.Close() }() // what is in it was written as it was made
	p := a.newProgress("Comparing labelled pairs")
	c, err := eval.Calibrate(ctx, cache, graded, p.showEval)
	if err != nil {
		return err
	}
	p.done("Compared with " + c.Model)
	if a.json {
		err = a.answer(c)
	} else {
		err = a.listCalibration(c)
	}
	wrong := c.Wrong()
	if err != nil || len(wrong) == 0 {
		return err
	}
	return &wiki.Error{
		Code:    codeWrongDuplicate,
		Message: fmt.Sprintf("%d pairs state different things and would be duplicates", len(wrong)),
		Remedy:  "raise the model's duplicate threshold (embeddings-duplicate-at), or teach the evidence to see what differs",
	}
}

func (a *app) listCalibration(c eval.Calibration) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, set := range c.Sets {
		fmt.Fprintf(w, "\n%d %s\n", set.Pairs, set.Name)
		fmt.Fprintln(w, "at\tduplicate P\tR\twrong\tcosine alone P\tR\twrong\tlow novelty P\tR\twrong\tqueued twins P\tR\t")
		for _, l := range set.Sweep {
			fmt.Fprintf(w, "%.2f\t%s%s%s%.3f\t%.3f\t\n", l.At, cells(l.Duplicate), cells(l.ByCosine), cells(l.Near), l.Flagged.Precision, l.Flagged.Recall)
		}
		fmt.Fprintf(w, "\nkind\tis\tpairs\tduplicate\tlow novelty\tqueued\tnovel\tlowest\thighest\t\n")
		for _, k := range set.Kinds {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t\n", k.Kind, k.Label, k.Pairs, k.Duplicate, k.Low, k.Queued, k.Novel, k.Lowest, k.Highest)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	t := c.Thresholds
	a.say("\nthresholds of %s: duplicate %.2f, low novelty %.2f, conflict %.2f", c.Model, t.DuplicateAt, t.LowNoveltyAt, t.ConflictAt)
	if s := c.Supported; s != nil {
		a.say("the pairs speak for: duplicate %.2f, low novelty %.2f", s.DuplicateAt, s.LowNoveltyAt)
	}
	for _, p := range c.Wrong() {
		a.say("WRONG %s: %q and %q", p.Kind, p.First.Body, p.Second.Body)
	}
	return nil
}

func cells(r eval.Rate) string {
	return fmt.Sprintf("%.3f\t%.3f\t%d\t", r.Precision, r.Recall, r.Wrong)
}
