package proposals

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/audit"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Preview is what a dry run answers: the set as it was frozen, and the credential that replays it. A set that is empty needs
// none.
type Preview struct {
	Act       wiki.BulkAct
	Selector  string
	Requested int         // articles named
	Present   int         // of which there are
	Articles  []Item      // the first MaxShown of those that are there
	NotFound  []uuid.UUID // ids that name nothing
	Impact    Impact
	Token     string // of a set within the frozen bound
	Hash      string // of a larger one
	ExpiresAt time.Time
}

// MaxShown bounds the articles that a dry run lists.
const MaxShown = 100

// Credential is what a dry run gave: a token or, for a set over the frozen bound, a confirm hash.
type Credential struct {
	Token string
	Hash  string
}

// Result is a run as far as it went, with its items in the order of the request, at most Settings.MaxIDs of them.
type Result struct {
	Proposal
	Items []Item
}

// DryRun freezes the set that a request names and gives the credential by which the same request runs on exactly that set,
// once, within Settings.TokenLifetime. Nothing else happens. It needs role user, as every set-based act (seed, invariant 4).
func (s *Service) DryRun(ctx context.Context, actor wiki.Actor, r Request) (Preview, error) {
	r, digest, err := s.prepare(ctx, actor, r, wiki.RoleUser, false)
	if err != nil {
		return Preview{}, err
	}
	var out Preview
	err = s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		set, err := s.selectSet(ctx, tx, actor, r)
		if err != nil {
			return err
		}
		out = preview(r, set)
		if out.Impact, err = s.impact(ctx, tx, actor, r.Act, idsOf(set)); err != nil || out.Present == 0 {
			return err
		}
		out.ExpiresAt = tx.Now.Add(s.settings.TokenLifetime)
		if len(set) > s.settings.FrozenBound {
			out.Hash, err = s.confirmHash(ctx, actor.Tenant, r, digest, set, out.ExpiresAt)
			return err
		}
		out.Token = newToken()
		_, err = s.freeze(ctx, tx, actor, r, KindToken, set, digest, credentialHash(out.Token))
		return err
	})
	if err != nil {
		return Preview{}, err
	}
	err = s.askGolden(ctx, actor, r.Act, itemIDs(out.Articles), &out.Impact)
	return out, err
}

// prepare checks who asks and cleans what is asked. A rationale is a reason that has to be given.
func (s *Service) prepare(ctx context.Context, actor wiki.Actor, r Request, least wiki.Role, rationale bool) (Request, []byte, error) {
	if err := actor.Require(least); err != nil {
		return r, nil, err
	}
	r, err := s.clean(r)
	if err != nil {
		return r, nil, err
	}
	if r.Reason, err = wiki.CleanReason(r.Reason, rationale); err != nil {
		if rationale {
			err = wiki.OfField(err, "rationale")
		}
		return r, nil, err
	}
	digest, err := s.digest(ctx, actor.Tenant, r)
	return r, digest, err
}

func preview(r Request, set []frozen) Preview {
	out := Preview{Act: r.Act, Selector: r.Selector.String(), Requested: len(set), Present: present(set)}
	for i, f := range set {
		switch {
		case f.version == nil:
			out.NotFound = append(out.NotFound, f.id)
		case len(out.Articles) < MaxShown:
			out.Articles = append(out.Articles, Item{
				Position: i + 1, Article: f.id, Version: f.version, Title: f.title,
				Standing: &Standing{Title: f.title, Status: f.status, Version: *f.version},
			})
		}
	}
	return out
}

func idsOf(set []frozen) []uuid.UUID {
	ids := make([]uuid.UUID, len(set))
	for i, f := range set {
		ids[i] = f.id
	}
	return ids
}

// tokenPrefix and tokenBytes make a token: 240 random bits, of which only the digest is kept.
const (
	tokenPrefix = "bp_"
	tokenBytes  = 30
)

func newToken() string {
	raw := make([]byte, tokenBytes)
	_, _ = rand.Read(raw) // it never fails: without randomness the program ends
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
}

func credentialHash(credential string) []byte {
	sum := sha256.Sum256([]byte(credential))
	return sum[:]
}

// hashPurpose is what a confirm hash is sealed for.
const hashPurpose = "bulk confirm hash"

// confirmHash seals the act, the selector's digest, the set's digest and the end of its life: any change to one of them is
// another hash.
func (s *Service) confirmHash(ctx context.Context, tenant uuid.UUID, r Request, digest []byte, set []frozen, until time.Time) (string, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return "", err
	}
	text := strings.Join([]string{r.Act.String(), hex.EncodeToString(digest), hex.EncodeToString(setDigest(set)), strconv.FormatInt(until.Unix(), 10)}, "|")
	return wiki.Seal(secret, text, hashPurpose, tenant.String()), nil
}

// Run does an act to the set that a request names. A set named by ids or by a source runs at once; one named by a tag, and
// every hard delete, runs only by the credential of a dry run, on the set as it was frozen. A set that is empty is no
// error: nothing is done. Role user.
//
// The answer has what became of each article. When the set is too large for one call, State is StateRunning and items are
// left: the same request carries it on, by its credential or its act key. A repeat by the act key answers with the first
// one's result.
//
// Errors, beside CodeInvalid: CodeDryRunRequired; of a credential CodeTokenUnknown (another tenant's too), CodeTokenOp,
// CodeTokenSelector, CodeTokenExpired, CodeTokenSpent, CodeSetChanged.
func (s *Service) Run(ctx context.Context, actor wiki.Actor, r Request, c Credential, actKey string) (Result, error) {
	r, digest, err := s.prepare(ctx, actor, r, wiki.RoleUser, false)
	if err != nil {
		return Result{}, err
	}
	if c.Token != "" && c.Hash != "" {
		return Result{}, wiki.Invalid("confirm_hash", "send the token or the hash, not both")
	}
	var p Proposal
	err = s.db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var found bool
		if p, found, err = replayed(ctx, tx, actor, r, digest, actKey); err != nil || found {
			return err
		}
		p, err = s.take(ctx, tx, actor, r, digest, c)
		if err != nil || p.State != StatePending || p.ID == uuid.Nil {
			return err
		}
		return s.start(ctx, tx, actor, &p, r, actKey)
	})
	if postgres.IsUnique(err, "proposals_credential_idx") {
		err = spent("this set is being carried out")
	}
	if err != nil {
		return Result{}, err
	}
	if p.ID == uuid.Nil { // nothing matched
		return emptyResult(r, p), nil
	}
	return s.finish(ctx, actor, p)
}

func emptyResult(r Request, p Proposal) Result {
	p.Act, p.Selector, p.State = r.Act, r.Selector.String(), StateExecuted
	out := Result{Proposal: p}
	for i, id := range r.Selector.IDs {
		out.Items = append(out.Items, Item{Position: i + 1, Article: id, Outcome: OutcomeNotFound})
		out.Counts.add(OutcomeNotFound, 1)
	}
	return out
}

func actName(a wiki.BulkAct) string { return "bulk." + strings.ReplaceAll(a.String(), " ", "_") }

// replayed finds the run that the actor began under this act key.
func replayed(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, digest []byte, actKey string) (Proposal, bool, error) {
	act := actName(r.Act)
	raw, found, err := audit.Replay(ctx, tx, actor, actKey, act, uuid.Nil)
	if err != nil || !found {
		return Proposal{}, false, err
	}
	var id uuid.UUID
	if err := json.Unmarshal(raw, &id); err != nil {
		return Proposal{}, false, fmt.Errorf("proposals: read the result of %s: %w", act, err)
	}
	p, err := lock(ctx, tx, actor.Tenant, id)
	if err == nil && !slices.Equal(p.digest, digest) {
		err = audit.Reused(act)
	}
	return p, true, err
}

// take gives the frozen set to run on; one without an id when there is nothing to do. A pending one is to be started, a
// running one was cut and is carried on.
func (s *Service) take(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, digest []byte, c Credential) (Proposal, error) {
	switch {
	case c.Token != "":
		return byToken(ctx, tx, actor, r, digest, c.Token)
	case c.Hash != "":
		return s.byHash(ctx, tx, actor, r, digest, c.Hash)
	}
	set, err := s.selectSet(ctx, tx, actor, r)
	if err != nil || present(set) == 0 {
		return Proposal{}, err
	}
	if r.Act.NeedsProposal(r.Selector) {
		e := wiki.Errorf(wiki.CodeDryRunRequired, "this act on such a set runs only as a dry run showed it")
		e.Remedy = "send it with dry_run, look at the answer, then send it again with the proposal_token or confirm_hash of that answer"
		return Proposal{}, e
	}
	return s.freeze(ctx, tx, actor, r, KindRun, set, digest, nil)
}

func byToken(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, digest []byte, token string) (Proposal, error) {
	p, err := find(ctx, tx, byCredentialSQL, pgx.NamedArgs{"tenant": actor.Tenant, "credential": credentialHash(token)})
	if wiki.ErrorCode(err) == wiki.CodeNotFound || (err == nil && p.Kind != KindToken) {
		return p, unknownCredential()
	}
	if err != nil {
		return p, err
	}
	switch {
	case p.Act.String() != r.Act.String():
		return p, wrongOp(p.Act.String(), r.Act)
	case !slices.Equal(p.digest, digest):
		return p, wrongSelector()
	}
	return p, spendable(p, tx.Now)
}

func (s *Service) byHash(ctx context.Context, tx postgres.Tx, actor wiki.Actor, r Request, digest []byte, hash string) (Proposal, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return Proposal{}, err
	}
	text, genuine := wiki.Unseal(secret, hash, hashPurpose, actor.Tenant.String())
	parts := strings.Split(text, "|")
	if !genuine || len(parts) != 4 {
		return Proposal{}, unknownCredential()
	}
	switch {
	case parts[0] != r.Act.String():
		return Proposal{}, wrongOp(parts[0], r.Act)
	case parts[1] != hex.EncodeToString(digest):
		return Proposal{}, wrongSelector()
	}
	p, err := find(ctx, tx, byCredentialSQL, pgx.NamedArgs{"tenant": actor.Tenant, "credential": credentialHash(hash)})
	if wiki.ErrorCode(err) != wiki.CodeNotFound {
		if err == nil {
			err = spendable(p, tx.Now)
		}
		return p, err
	}
	if until, err := strconv.ParseInt(parts[3], 10, 64); err != nil || !tx.Now.Before(time.Unix(until, 0)) {
		return Proposal{}, expiredCredential()
	}
	set, err := s.selectSet(ctx, tx, actor, r)
	if err != nil {
		return Proposal{}, err
	}
	if parts[2] != hex.EncodeToString(setDigest(set)) {
		e := wiki.Errorf(wiki.CodeSetChanged, "the set is not what the dry run showed any more; nothing was done")
		e.Remedy = "make a new dry run and look at it again"
		return Proposal{}, e
	}
	return s.freeze(ctx, tx, actor, r, KindRun, set, digest, credentialHash(hash))
}

// spendable says whether a frozen set may be run, or a run that was cut be carried on.
func spendable(p Proposal, now time.Time) error {
	switch {
	case p.State == StatePending, p.State == StateRunning && p.lapsed(now):
		return nil
	case p.State == StateExpired:
		return expiredCredential()
	case p.State == StateRunning:
		return spent("this set is being carried out")
	}
	return spent("this set was carried out")
}

// lapsed says whether nobody carries the run on at the moment.
func (p Proposal) lapsed(now time.Time) bool {
	return p.leaseUntil == nil || !now.Before(*p.leaseUntil)
}

const startSQL = `update proposals set state = 'running', settled_by = $3, settled_at = $4, lease_until = $5, reason = coalesce(nullif($6, ''), reason)
where tenant_id = $1 and id = $2`

// start spends the frozen set: from here on it is a run.
func (s *Service) start(ctx context.Context, tx postgres.Tx, actor wiki.Actor, p *Proposal, r Request, actKey string) error {
	until, by := tx.Now.Add(s.settings.Lease), actor.Stamp()
	if _, err := tx.Exec(ctx, startSQL, p.tenant, p.ID, by, tx.Now, until, r.Reason); err != nil {
		return fmt.Errorf("proposals: start: %w", err)
	}
	p.State, p.SettledBy, p.SettledAt = StateRunning, &by, &tx.Now
	return audit.Write(ctx, tx, actor, audit.Entry{
		Act: actName(p.Act), Subject: p.ID, ActKey: actKey, Result: p.ID,
		Detail: map[string]any{"selector": p.Selector, "requested": p.Counts.Requested, "reason": r.Reason},
	})
}

func unknownCredential() error {
	e := wiki.Errorf(wiki.CodeTokenUnknown, "there is no such proposal")
	e.Remedy = "make a dry run, then send what it answers"
	return e
}

func expiredCredential() error {
	e := wiki.Errorf(wiki.CodeTokenExpired, "the dry run is too old; nothing was done")
	e.Remedy = "make a new dry run"
	return e
}

func spent(message string) error {
	e := wiki.Errorf(wiki.CodeTokenSpent, "%s", message)
	e.Remedy = "make a new dry run to see what is left"
	return e
}

func wrongOp(minted string, asked wiki.BulkAct) error {
	e := wiki.Errorf(wiki.CodeTokenOp, "the proposal is for a %s, not for a %s; nothing was done", minted, asked)
	e.Remedy = "send it with the act that it was minted for, or make a dry run of this one"
	return e
}

func wrongSelector() error {
	e := wiki.Errorf(wiki.CodeTokenSelector, "the proposal is for another set; nothing was done")
	e.Remedy = "send it with the selector that it was minted for, or make a dry run of this one"
	return e
}
