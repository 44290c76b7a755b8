package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"wiki/core/gate"
	"wiki/core/wiki"
)

const (
	titleTaken = "the article %s has this title, with another text; give the file another title, or add its text to that article"
	// sourceType labels what an import made; no ranking reads it.
	sourceType = "ingestion"
	// proposeTries bounds how often a document is proposed when the database is too busy to compare it.
	proposeTries      = 3
	pauseBetweenTries = time.Second
	// maxRetryAfter keeps a file from holding up the run.
	maxRetryAfter = 30 * time.Second
)

// failure is the answer of a file that failed.
func failure(it *item, err error) File {
	f := File{Path: it.file.Path, Title: it.doc.Title, Outcome: Failed, Message: "it failed inside the wiki; the log says why", Warnings: it.doc.Warnings}
	var e *wiki.Error
	if errors.As(err, &e) && e.Code != wiki.CodeInternal {
		f.Message = e.Message
		if e.Remedy != "" {
			f.Message += "; " + e.Remedy
		}
	}
	return f
}

// stops says whether an error ends the run: the next file would meet it too.
func stops(ctx context.Context, err error) bool {
	code := wiki.ErrorCode(err)
	return ctx.Err() != nil || code == wiki.CodeUnavailable || code == wiki.CodeStorageFull || code == wiki.CodeForbidden
}

// propose lets a document through the gate.
func (w *work) propose(ctx context.Context, it *item) (answer, error) {
	a := answer{hash: it.doc.FileHash}
	p, err := w.proposal(it)
	if err != nil {
		a.file = failure(it, err)
		return a, nil
	}
	var o gate.Outcome
	for try := 1; ; try++ {
		o, err = w.Gate.Propose(ctx, w.actor, p)
		if !passing(err) || try == proposeTries || ctx.Err() != nil {
			break
		}
		if err := pause(ctx, max(pauseBetweenTries, retryAfter(err))); err != nil {
			return a, err
		}
	}
	switch {
	case err == nil:
		a.file = outcomeFile(it, o)
		a.own = o.Created || (o.Article != nil && o.Article.IdempotencyKey == p.IdempotencyKey)
		return a, nil
	case stops(ctx, err):
		return a, fmt.Errorf("%s: %w", it.file.Path, err)
	}
	a.file = failure(it, err)
	if wiki.ErrorCode(err) == wiki.CodeTitleConflict {
		a.file.Outcome, a.file.Article = TitleConflict, existing(err)
		if a.file.Article != nil {
			a.file.Message = fmt.Sprintf(titleTaken, *a.file.Article)
		}
	}
	if wiki.ErrorCode(err) == wiki.CodeInternal {
		w.Log.Error("a document failed inside the wiki", "path", it.file.Path, "err", err)
	}
	return a, nil
}

// proposal makes the proposal of a document. A provider that can't compare it now makes the file fail, and the next import
// asks again: thousands of uncompared articles would be worse than a second call. A document without words can never be
// compared and is created uncompared.
func (w *work) proposal(it *item) (gate.Proposal, error) {
	metadata, err := json.Marshal(it.doc.Metadata)
	if err != nil {
		return gate.Proposal{}, wiki.Invalid("metadata", "its front matter can't be stored as JSON")
	}
	p := gate.Proposal{
		Title: it.doc.Title, Body: wiki.SubmittedBody{Present: true, IsText: true, Text: it.doc.Body}, Category: it.doc.Category,
		Tags: it.doc.Tags, SourceType: sourceType, IdempotencyKey: w.key(it.file.Path), Metadata: metadata, Draft: !w.opts.Publish,
		Force:             w.opts.Force,
		OnGateUnavailable: gate.OnGateUnavailableSkip, Vector: it.vector,
	}
	if it.vector.Wordless {
		p.OnGateUnavailable = gate.OnGateUnavailableCreate
	}
	return p, nil
}

// keyHashBytes of SHA-256 name a source or a long path within a key: 96 bits don't collide (case 76).
const keyHashBytes = 12

// key is a file's idempotency key, import:<source>:<path>: it makes a file one article however often it is imported.
func (w *work) key(path string) string {
	path = norm.NFC.String(path) // one file, on whatever system it lies (case 74)
	prefix := "import:" + shortHash(w.report.Source) + ":"
	if len(prefix)+len(path) > wiki.MaxIdempotencyKeyBytes {
		path = shortHash(path)
	}
	return prefix + path
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:keyHashBytes])
}

// outcomeFile turns the gate's answer into the file's.
func outcomeFile(it *item, o gate.Outcome) File {
	f := File{Path: it.file.Path, Title: it.doc.Title, Outcome: Outcome(o.Verdict), Flagged: o.Flagged, Message: o.Note, Warnings: it.doc.Warnings}
	if o.Article != nil {
		f.Article = &o.Article.ID
	}
	if o.Neighbour != nil {
		f.Neighbour, f.Cosine = &o.Neighbour.ID, float64(o.Neighbour.Cosine)
	}
	f.Drift = o.DriftEvent != nil
	return f
}

// existing reads the id of the article that has the title.
func existing(err error) *uuid.UUID {
	var e *wiki.Error
	if !errors.As(err, &e) {
		return nil
	}
	if id, ok := e.Details["existing_article_id"].(uuid.UUID); ok {
		return &id
	}
	return nil
}

// passing says whether a failure may be over soon.
func passing(err error) bool {
	switch wiki.ErrorCode(err) {
	case wiki.CodeOverloaded, wiki.CodeTimeout, wiki.CodeRateLimited:
		return true
	}
	return false
}

func retryAfter(err error) time.Duration {
	var e *wiki.Error
	if errors.As(err, &e) {
		return min(e.RetryAfter, maxRetryAfter)
	}
	return 0
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
