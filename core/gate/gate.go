package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"wiki/core/articles"
	"wiki/core/events"
	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/record"
	"wiki/core/wiki"
)

// Service is the gate.
type Service struct {
	DB       *postgres.DB
	Record   record.Service
	Assessor Assessor     // what the operator configured; Nearest by default
	Log      *slog.Logger // gets the warning about a drifted discard; nil = slog's default
}

// tries bounds how often a proposal starts over because what stood in its way was gone when it was looked at.
const tries = 4

// Propose decides about a proposal, in this order (SPEC §3): the project, the idempotency key, validation, the exact active
// title, the gate; an outcome that skips comes last of all. Errors: CodeInvalid and CodeReservedTag on the field at
// fault, CodeTitleConflict with the existing article's id, CodeGateUnavailable when asked to skip what cannot be compared.
func (s Service) Propose(ctx context.Context, actor wiki.Actor, p Proposal) (Outcome, error) {
	o, err := s.propose(ctx, actor, p)
	s.count(ctx, actor, p, o, err)
	return o, err
}

func (s Service) propose(ctx context.Context, actor wiki.Actor, p Proposal) (Outcome, error) {
	for range tries {
		a, stands, err := s.lookUp(ctx, actor, p)
		if err != nil {
			return Outcome{}, err
		}
		if stands.article != nil {
			return s.standing(ctx, actor, p, stands)
		}
		o, err := s.decide(ctx, actor, p, a, stands)
		if !errors.Is(err, errStartOver) {
			return o, err
		}
	}
	return Outcome{}, wiki.Errorf(wiki.CodeUnavailable, "the article kept changing while it was compared; send the proposal again")
}

// errStartOver says that another article got in the way, or got out of it, since the proposal was looked up.
var errStartOver = errors.New("start over")

// stands is what a proposal finds in its place.
type stands struct {
	article *wiki.Article // under its idempotency key, or under its title with the same text
	twin    *wiki.Article // a published article with exactly its text, under another roof: no vector is needed to tell

	snapshot string // of what was committed when this was looked up: see secondLook
}

// lookUp does all that comes before the gate. It gives the article that the proposal asks for, in its stored form.
func (s Service) lookUp(ctx context.Context, actor wiki.Actor, p Proposal) (a wiki.Article, found stands, err error) {
	err = s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if err := articles.CheckProject(ctx, tx, actor.Tenant, p.Project); err != nil {
			return err
		}
		if found.snapshot, err = events.Snapshot(ctx, tx); err != nil {
			return err
		}
		if key, err := wiki.CleanIdempotencyKey(p.IdempotencyKey); err == nil && key != "" {
			owner := ownerAsSent(actor, p)
			if found.article, err = orNone(articles.ByIdempotencyKey(ctx, tx, actor, key, owner)); err != nil || found.article != nil {
				return err
			}
		}
		if a, err = p.candidate(actor); err != nil {
			return err
		}
		sameTitle, err := orNone(articles.ByTitle(ctx, tx, actor, a.Title, owner(actor, a)))
		if err != nil {
			return err
		}
		if sameTitle != nil {
			if wiki.Canonical(sameTitle.Body) != wiki.Canonical(a.Body) {
				return wiki.TitleConflict(sameTitle.ID)
			}
			found.article = sameTitle
			return nil
		}
		found.twin, err = orNone(articles.ByContentHash(ctx, tx, actor, wiki.ContentHash(a.Title, a.Body), owner(actor, a)))
		return err
	})
	return a, found, err
}

// ownerAsSent reads whose space a proposal asks for before it is validated; shared when that cannot be read.
func ownerAsSent(actor wiki.Actor, p Proposal) string {
	metadata, err := wiki.CleanMetadata(p.Metadata)
	if err != nil {
		return ""
	}
	return owner(actor, wiki.Article{Metadata: metadata})
}

func orNone(a wiki.Article, err error) (*wiki.Article, error) {
	switch {
	case err == nil:
		return &a, nil
	case wiki.ErrorCode(err) == wiki.CodeNotFound:
		return nil, nil
	}
	return nil, err
}

func (s Service) log() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.Default()
}

// decide runs the gate on a proposal whose place is free.
func (s Service) decide(ctx context.Context, actor wiki.Actor, p Proposal, a wiki.Article, found stands) (Outcome, error) {
	if twin := found.twin; twin != nil && !p.Force {
		near := wiki.Near{ID: twin.ID, Cosine: 1, Title: twin.Title, Body: twin.Body}
		return s.duplicate(ctx, actor, p, wiki.Novelty{Grade: wiki.GradeDuplicate, Nearest: &near})
	}
	judged, assessed, err := s.compare(ctx, actor, p, a)
	o := Outcome{Neighbour: judged.Nearest, Differing: judged.Differing}
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case p.Force:
		o.Verdict, o.Unavailable = Unknown, "the gate was bypassed, as forced"
	case err != nil:
		o.Verdict, o.Unavailable = Unknown, reasonOf(err)
		if p.OnGateUnavailable == OnGateUnavailableSkip {
			return o, s.unlessTaken(ctx, actor, p, gateUnavailable(err))
		}
	case judged.Grade == wiki.GradeDuplicate:
		return s.duplicate(ctx, actor, p, judged)
	case judged.Grade == wiki.GradeLowNovelty:
		if p.OnLowNovelty == OnLowNoveltySkip {
			o.Verdict, o.Note = SkippedLowNovelty, noteSkipped
			return o, s.unlessTaken(ctx, actor, p, nil)
		}
		o.Verdict = LowNovelty
		a.Status = wiki.StatusDraft
		a.Metadata[wiki.MetaProposalNovelty] = stamp(judged)
	default:
		o.Verdict = Novel
	}
	o, err = s.create(ctx, actor, p, a, judged, assessed.Vector, o)
	if err == nil && !actor.KeepsCanon() {
		s.secondLook(ctx, actor, p, found.snapshot, assessed.Thresholds, &o)
	}
	return o, err
}

// compare finds and reads the neighbours, and judges by them. An error means that nothing was compared.
func (s Service) compare(ctx context.Context, actor wiki.Actor, p Proposal, a wiki.Article) (wiki.Novelty, Assessment, error) {
	found, err := s.Assessor.Assess(ctx, actor, Candidate{Title: a.Title, Body: a.Body, Vector: p.Vector})
	if err != nil {
		return wiki.Novelty{}, found, err
	}
	near, err := s.readNeighbours(ctx, actor, a, found.Near)
	if err != nil {
		return wiki.Novelty{}, found, fmt.Errorf("read the nearest articles: %w", err)
	}
	return wiki.Judge(a.Title, a.Body, near, found.Thresholds), found, nil
}

// create stores the article, its vector and its flags as one transaction. One that lost to a rival starts over and finds
// the winner.
func (s Service) create(ctx context.Context, actor wiki.Actor, p Proposal, a wiki.Article, judged wiki.Novelty, vector record.Embedded, o Outcome) (Outcome, error) {
	detail := map[string]any{"verdict": o.Verdict, "forced": p.Force}
	err := s.DB.Act(ctx, actor, func(ctx context.Context, tx postgres.Tx) error {
		if p.Draft {
			a.StagedDraftAt = &tx.Now
		}
		created, err := s.Record.Create(ctx, tx, actor, a, vector, record.CreateOptions{Detail: detail})
		if err != nil {
			return err
		}
		o.Article, o.Created, o.Flagged = &created, true, nil
		for _, c := range judged.Flags(created.Status) {
			raise := flags.New{A: created.ID, B: c.ID, System: true, Similarity: float64(c.Cosine), Differing: c.Differing}
			if _, _, err := flags.Raise(ctx, tx, actor, raise); err != nil {
				return err
			}
			o.Flagged = append(o.Flagged, c.ID)
		}
		return nil
	})
	switch wiki.ErrorCode(err) {
	case wiki.CodeTitleConflict, wiki.CodeKeyReused:
		return Outcome{}, errStartOver
	}
	if err != nil {
		return Outcome{}, err
	}
	o.noteOfCreation(p.Force)
	return o, nil
}

// stamp is what the gate found, for a smarter consumer of the draft to decide by (seed, invariant 1).
func stamp(n wiki.Novelty) map[string]any {
	return map[string]any{
		"verdict": LowNovelty, "cosine": float64(n.Nearest.Cosine), "neighbour_id": n.Nearest.ID, "differing": n.Differing,
	}
}

func reasonOf(err error) string {
	var e *wiki.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "the comparison failed"
}

// RetryAfter is how long a caller that was told gate_unavailable waits, when the cause does not say.
const RetryAfter = 30 * time.Second

func gateUnavailable(cause error) error {
	e := &wiki.Error{
		Code: wiki.CodeGateUnavailable, Message: "the proposal could not be compared: " + reasonOf(cause) + "; nothing was created",
		Remedy: "send it again later, or without on_gate_unavailable to create it uncompared", Err: cause, RetryAfter: RetryAfter,
	}
	var inner *wiki.Error
	if errors.As(cause, &inner) && inner.RetryAfter > 0 {
		e.RetryAfter = inner.RetryAfter
	}
	return e
}
