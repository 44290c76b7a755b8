// Package gate decides what becomes of a proposed article (SPEC §3; seed, invariant 1): whether it is new, near to
// something, the same as something, or sent before. It is the only way in for new articles.
package gate

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"wiki/core/record"
	"wiki/core/wiki"
)

// Verdict is one of the six answers to a proposal.
type Verdict string

// Verdicts. A caller that knows only the first four falls through on the last two, which are just as real.
const (
	Novel             Verdict = "novel"               // created
	LowNovelty        Verdict = "low_novelty"         // created as a draft: something near stands
	Unknown           Verdict = "unknown"             // created without having been compared
	Duplicate         Verdict = "duplicate"           // nothing created: the neighbour says it already
	Deduplicated      Verdict = "deduplicated"        // nothing created: this very capture, or title and text, stands
	SkippedLowNovelty Verdict = "skipped_low_novelty" // nothing created, as the caller asked
)

// Values of the two options.
const (
	OnLowNoveltyDraft       = "draft"
	OnLowNoveltySkip        = "skip"
	OnGateUnavailableCreate = "create"
	OnGateUnavailableSkip   = "skip"
)

// Proposal proposes an article. It arrives as it was sent: an idempotency key that is known is answered before anything
// else of it is looked at.
type Proposal struct {
	Title          string
	Body           wiki.SubmittedBody
	Category       wiki.Category
	Slug           string     // default: made from the title
	Scope          wiki.Scope // default wiki.ScopeTenant
	Tags           []string
	Project        *uuid.UUID
	SourceType     string
	SourceID       *uuid.UUID
	IdempotencyKey string
	Metadata       json.RawMessage
	Draft          bool // a draft is asked for; otherwise a novel article is published
	Force          bool // do not compare; the title stays unique all the same

	OnLowNovelty      string // default OnLowNoveltyDraft; skip is for a writer whose drafts nobody would review
	OnGateUnavailable string // default OnGateUnavailableCreate

	TitleUnreadable bool  // a title was sent, and it was no text: like such a body, it differs from what stands
	Fault           error // what the caller could not read of the rest; it is the first thing that validation says

	Vector record.Embedded // made by a caller that embeds in batches; one of another text is not used
}

// candidate gives the article that the proposal asks for, or the first field at fault.
func (p Proposal) candidate(actor wiki.Actor) (wiki.Article, error) {
	a := wiki.Article{
		Title: p.Title, Body: p.Body.Text, Category: p.Category, Slug: p.Slug, Tags: p.Tags, Project: p.Project, SourceType: p.SourceType,
		SourceID: p.SourceID, IdempotencyKey: p.IdempotencyKey, Status: wiki.StatusPublished,
	}
	if p.Draft {
		a.Status = wiki.StatusDraft
	}
	if p.Fault != nil {
		return a, p.Fault
	}
	if err := p.checkScope(actor); err != nil {
		return a, err
	}
	if p.Body.Present && !p.Body.IsText {
		return a, wiki.Invalid("body", "the body must be text")
	}
	var err error
	if a.Metadata, err = wiki.CleanMetadata(p.Metadata); err != nil {
		return a, err
	}
	if a, err = wiki.CleanArticle(a); err != nil {
		return a, err
	}
	if err := wiki.CheckOwner(actor, owner(actor, a)); err != nil {
		return a, err
	}
	return a, p.checkOptions()
}

// checkScope lets a superadmin write system canon and nobody else, and has him say so: what every tenant reads is not written
// by a slip (SPEC §1).
func (p Proposal) checkScope(actor wiki.Actor) error {
	switch p.Scope {
	case "", wiki.ScopeTenant:
		if actor.KeepsCanon() {
			return wiki.Invalid("scope", "this key belongs to no tenant and writes system canon: say scope system, or use a key of the tenant")
		}
		return nil
	case wiki.ScopeSystem:
		if !actor.KeepsCanon() {
			return wiki.SystemScope()
		}
		return nil
	}
	return wiki.Invalid("scope", "the scope is tenant or system")
}

func (p Proposal) checkOptions() error {
	switch p.OnLowNovelty {
	case "", OnLowNoveltyDraft, OnLowNoveltySkip:
	default:
		return wiki.Invalid("on_low_novelty", "on_low_novelty must be draft or skip")
	}
	switch p.OnGateUnavailable {
	case "", OnGateUnavailableCreate, OnGateUnavailableSkip:
	default:
		return wiki.Invalid("on_gate_unavailable", "on_gate_unavailable must be create or skip")
	}
	return nil
}

// owner gives whose private space an article goes to; "" = shared.
func owner(actor wiki.Actor, a wiki.Article) string {
	_, owner := wiki.VisibilityOf(a.Metadata, actor.Principal())
	return owner
}

// storableText makes a submitted text fit to be kept as evidence of drift, when it would be refused as an article.
func storableText(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
