package conflicts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"wiki/core/audit"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Judgement is a verdict as a caller asks for it.
type Judgement struct {
	A, B           uuid.UUID
	Disposition    wiki.Disposition
	Classification wiki.Classification // default: redundant for dismiss and merge, contradictory for supersede
	Confidence     wiki.Confidence     // default medium; what is recorded is what the role grants
	Authoritative  *uuid.UUID          // the article that a supersede keeps, or that a merge leads with
	Evidence       string
	SeenA, SeenB   int // the versions on the judge's screen; 0 = not said
}

const (
	actJudge = "conflict.judge"

	insertVerdictSQL = `insert into conflict_verdicts (id, tenant_id, first_id, second_id, authoritative_id, classification, disposition, confidence,
  requested_confidence, evidence, judged_by, judged_at, executed_at, executed_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

	// What was applied is history and stays; a dismissal is applied as it is given, and can be replaced all the same.
	replaceSQL = `update conflict_verdicts set replaced_by = $4 where tenant_id = $1 and first_id = $2 and second_id = $3 and id <> $4
  and replaced_by is null and withdrawn_at is null and reverted_at is null and refused_at is null and (executed_at is null or disposition = 'dismiss')
  and ($5 or judged_by ->> 'principal' = $6)`
)

// Judge records a verdict. A dismissal applies at once; a supersede or a merge waits for Execute. All verdicts are kept: a
// new one that will be applied replaces those before it, one that will not replaces only the same principal's, and the pair
// stays in the queue. The act's key makes a repeat answer with the first verdict.
//
// Errors: CodeInvalid on the field at fault; CodeNotFound; CodeSelfAsserted; CodeClaimed when another curator holds the
// pair; CodeStale when an article or the pair changed since it was read; CodeForbidden when a higher role has judged;
// CodeKeyReused.
func (s Service) Judge(ctx context.Context, actor wiki.Actor, j Judgement, actKey string) (Verdict, error) {
	if err := actor.Require(wiki.RoleAgent); err != nil {
		return Verdict{}, err
	}
	pair, granted, err := j.validate(actor)
	if err != nil {
		return Verdict{}, err
	}
	var out Verdict
	err = s.DB.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		first, done, err := audit.Replay(ctx, tx, actor, actKey, actJudge, uuid.Nil)
		if err != nil {
			return err
		}
		h, err := hold(ctx, tx, actor, pair)
		if err != nil {
			return err
		}
		if done {
			out, err = j.repeated(actor, h, first)
			return err
		}
		v := wiki.Verdict{
			ID: tx.NewID(), First: pair.First, Second: pair.Second, Authoritative: j.Authoritative, Classification: j.Classification,
			Disposition: j.Disposition, Confidence: granted, Requested: j.Confidence, Evidence: j.Evidence, By: actor.Stamp(), JudgedAt: tx.Now,
		}
		if err := j.check(actor, h, v); err != nil {
			return err
		}
		if v.Disposition == wiki.Dismiss {
			v.ExecutedAt, v.ExecutedBy = &v.JudgedAt, &v.By
		}
		out = h.describe(actor, v)
		return put(ctx, tx, actor, h, v, actKey)
	})
	if err != nil {
		return Verdict{}, err
	}
	return out, nil
}

// validate fills the defaults in and says what confidence the role grants.
func (j *Judgement) validate(actor wiki.Actor) (wiki.Pair, wiki.Confidence, error) {
	pair, err := wiki.NewPair(j.A, j.B)
	if err != nil {
		return pair, "", err
	}
	if j.Classification == "" {
		j.Classification = wiki.Redundant
		if j.Disposition == wiki.Supersede {
			j.Classification = wiki.Contradictory
		}
	}
	if j.Confidence == "" {
		j.Confidence = wiki.ConfidenceMedium
	}
	switch {
	case !slices.Contains([]wiki.Disposition{wiki.Dismiss, wiki.Supersede, wiki.Merge}, j.Disposition):
		return pair, "", wiki.Invalid("disposition", "disposition must be dismiss, supersede or merge")
	case !slices.Contains([]wiki.Classification{wiki.Redundant, wiki.Complementary, wiki.Contradictory}, j.Classification):
		return pair, "", wiki.Invalid("classification", "classification must be redundant, complementary or contradictory")
	case !slices.Contains([]wiki.Confidence{wiki.ConfidenceLow, wiki.ConfidenceMedium, wiki.ConfidenceHigh}, j.Confidence):
		return pair, "", wiki.Invalid("confidence", "confidence must be low, medium or high")
	case j.Authoritative != nil && !slices.Contains(pair.IDs(), *j.Authoritative):
		return pair, "", wiki.Invalid("authoritative_article_id", "the authoritative article must be one of the pair")
	case j.Authoritative == nil && j.Disposition != wiki.Dismiss:
		return pair, "", wiki.Invalid("authoritative_article_id", "a %s names the article that it keeps or leads with", j.Disposition)
	}
	if j.Evidence, err = flags.CleanEvidence(j.Evidence, false); err != nil {
		return pair, "", err
	}
	granted, err := wiki.GrantConfidence(actor.Role, j.Disposition, j.Confidence, j.Evidence)
	return pair, granted, err
}

// check asks whether this judge may give this verdict on the pair as it is now.
func (j Judgement) check(actor wiki.Actor, h held, v wiki.Verdict) error {
	if h.Closed != "" {
		return stale("the pair needs no verdict any more: %s", h.Closed)
	}
	if err := h.CheckSeparation(v.By); err != nil {
		return err
	}
	if v.Executable() {
		if err := h.CheckRank(actor.Role); err != nil {
			return err
		}
	}
	if h.claim != nil && !h.claim.Mine {
		return claimed(*h.claim)
	}
	for _, seen := range []struct {
		id      uuid.UUID
		version int
	}{{j.A, j.SeenA}, {j.B, j.SeenB}} {
		now := h.first
		if seen.id == h.second.id {
			now = h.second
		}
		if seen.version != 0 && seen.version != now.version {
			e := stale("%q is at version %d now", now.title, now.version)
			e.Details = map[string]any{"article_id": now.id, "version": now.version}
			return e
		}
	}
	// What was said about the pair while this act was on its way, its judge cannot have read.
	if newest := h.newestWord(); !v.JudgedAt.After(newest) {
		return stale("the pair was flagged or judged a moment ago")
	}
	return nil
}

func (h held) newestWord() time.Time {
	var at time.Time
	for _, f := range h.Flags {
		if f.FlaggedAt.After(at) {
			at = f.FlaggedAt
		}
	}
	for _, v := range h.Verdicts {
		if v.JudgedAt.After(at) {
			at = v.JudgedAt
		}
	}
	return at
}

func stale(format string, values ...any) *wiki.Error {
	e := wiki.Errorf(wiki.CodeStale, format, values...)
	e.Remedy = "read the pair again"
	return e
}

// repeated answers a repeat of an act with its verdict as it stands by now.
func (j Judgement) repeated(actor wiki.Actor, h held, first json.RawMessage) (Verdict, error) {
	var id uuid.UUID
	if err := json.Unmarshal(first, &id); err != nil {
		return Verdict{}, fmt.Errorf("conflicts: read the first result: %w", err)
	}
	v, err := h.verdict(id)
	if err != nil || v.Disposition != j.Disposition || (j.Authoritative != nil && (v.Authoritative == nil || *v.Authoritative != *j.Authoritative)) {
		return Verdict{}, audit.Reused(actJudge)
	}
	return h.describe(actor, v), nil
}

// put stores a verdict, gives the judge's claim up and brings the queue up to date.
func put(ctx context.Context, tx postgres.Tx, actor wiki.Actor, h held, v wiki.Verdict, actKey string) error {
	_, err := tx.Exec(ctx, insertVerdictSQL, v.ID, actor.Tenant, v.First, v.Second, v.Authoritative, string(v.Classification), string(v.Disposition),
		string(v.Confidence), string(v.Requested), v.Evidence, v.By, v.JudgedAt, v.ExecutedAt, v.ExecutedBy)
	if err != nil {
		return fmt.Errorf("conflicts: record the verdict: %w", err)
	}
	if _, err := tx.Exec(ctx, replaceSQL, actor.Tenant, v.First, v.Second, v.ID, v.Executable(), v.By.Principal); err != nil {
		return fmt.Errorf("conflicts: replace verdicts: %w", err)
	}
	if h.claim != nil {
		if err := dropClaim(ctx, tx, actor, h.Pair); err != nil {
			return err
		}
	}
	after, err := flags.Save(ctx, tx, actor.Tenant, h.Pair)
	if err != nil {
		return err
	}
	err = audit.Write(ctx, tx, actor, audit.Entry{Act: actJudge, Subject: v.ID, ActKey: actKey, Result: v.ID, Detail: map[string]any{
		"conflict": h.Pair.String(), "disposition": v.Disposition, "classification": v.Classification, "confidence": v.Confidence,
		"requested_confidence": v.Requested, "authoritative": v.Authoritative,
	}})
	if err != nil {
		return err
	}
	payload, err := told(ctx, tx, v, actor.Tenant, after.State())
	if err != nil {
		return err
	}
	return flags.Emit(ctx, tx, actor.Tenant, KindJudged, h.Pair, payload)
}
