// Package fake is a wiki server in memory, for tests of the workbench without a network: it keeps pairs, verdicts and
// claims by the same rules as far as a screen can see, and can be told to fail.
package fake

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
)

// PageSize is how many conflicts one page holds when the caller asks for no number.
const PageSize = 50

// Server is the server in memory. Its methods may be called from any goroutine.
type Server struct {
	mu       sync.Mutex
	now      func() time.Time
	who      api.Whoami
	pairs    []*api.Pair
	verdicts []*api.Verdict // oldest first
	byKey    map[string]any
	down     error
	calls    map[string]int
	streams  []*Stream
	views    []api.ConflictView

	proposals []*api.BulkProposal
	articles  []*api.Article
	past      map[uuid.UUID][]api.ArticleVersion // of articles, oldest first, without the newest
	drift     []*api.Drift
	log       []api.AuditEntry // oldest first
}

// New makes a server with no pairs whose caller has the role user.
func New(now func() time.Time) *Server {
	s := &Server{now: now, byKey: map[string]any{}, past: map[uuid.UUID][]api.ArticleVersion{}, calls: map[string]int{}}
	s.who = api.Whoami{Tenant: "demo", Principal: "curator", Role: "user", KeyPrefix: "wk_demo1", ServerTime: now(), APIVersion: api.Version}
	return s
}

// Add puts a pair at the end of the queue and gives its id.
func (s *Server) Add(p api.Pair) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Conflict.ID = p.First.ID.String() + "." + p.Second.ID.String()
	if p.Conflict.State == "" {
		p.Conflict.State = "open"
	}
	s.pairs = append(s.pairs, &p)
	return p.Conflict.ID
}

// Insert puts a pair at the head of the queue.
func (s *Server) Insert(p api.Pair) string {
	id := s.Add(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.pairs[len(s.pairs)-1]
	s.pairs = append([]*api.Pair{last}, s.pairs[:len(s.pairs)-1]...)
	return id
}

// Fail makes every call fail with the error; nil ends it.
func (s *Server) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = err
}

// Caller changes what the key is.
func (s *Server) Caller(change func(*api.Whoami)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.who)
}

// Change changes a pair as somebody else would.
func (s *Server) Change(id string, change func(*api.Pair)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pairs {
		if p.Conflict.ID == id {
			change(p)
		}
	}
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Recorded gives the verdicts that stand, oldest first, as "disposition pair-id".
func (s *Server) Recorded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, v := range s.verdicts {
		if v.WithdrawnAt == nil && v.RevertedAt == nil {
			out = append(out, v.Disposition+" "+v.ConflictID)
		}
	}
	return out
}

// begin counts a call and gives the failure that is set; mu is held from then on when it is nil.
func (s *Server) begin(method string) error {
	s.mu.Lock()
	s.calls[method]++
	if s.down != nil {
		defer s.mu.Unlock()
		return s.down
	}
	return nil
}

// Whoami implements the call of that name.
func (s *Server) Whoami(context.Context) (api.Whoami, error) {
	if err := s.begin("whoami"); err != nil {
		return api.Whoami{}, err
	}
	defer s.mu.Unlock()
	return s.who, nil
}

// Conflicts implements the queue; cursors are positions.
func (s *Server) Conflicts(_ context.Context, q api.ConflictQuery) ([]api.Conflict, api.Meta, error) {
	if err := s.begin("conflicts"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	state := q.State
	if state == "" {
		state = "open"
	}
	var matching []api.Conflict
	counts := map[string]int{"open": 0, "judged": 0, "settled": 0}
	for _, p := range s.pairs {
		age := int(s.now().Sub(p.Conflict.FlaggedAt) / time.Hour)
		if q.Kind != "" && q.Kind != p.Conflict.Kind || age < q.MinAgeHours || q.MaxAgeHours > 0 && age >= q.MaxAgeHours {
			continue
		}
		counts[p.Conflict.State]++
		if p.Conflict.State == state {
			matching = append(matching, p.Conflict)
		}
	}
	var from int
	_, _ = fmt.Sscan(q.Cursor, &from)
	limit := q.Limit
	if limit == 0 {
		limit = PageSize
	}
	to := min(from+limit, len(matching))
	meta := api.Meta{Counts: counts}
	if to < len(matching) {
		meta.NextCursor = fmt.Sprint(to)
	}
	return matching[min(from, to):to], meta, nil
}

// Pair implements reading one pair.
func (s *Server) Pair(_ context.Context, id string) (api.Pair, error) {
	if err := s.begin("pair"); err != nil {
		return api.Pair{}, err
	}
	defer s.mu.Unlock()
	p := s.find(id)
	if p == nil {
		return api.Pair{}, wiki.NotFound()
	}
	out := *p
	for i := len(s.verdicts) - 1; i >= 0; i-- {
		if s.verdicts[i].ConflictID == id {
			out.History = append(out.History, *s.verdicts[i])
		}
	}
	return out, nil
}

func (s *Server) find(id string) *api.Pair {
	for _, p := range s.pairs {
		if p.Conflict.ID == id {
			return p
		}
	}
	return nil
}

// Claim implements taking a lease.
func (s *Server) Claim(_ context.Context, id string) (api.Claim, error) {
	if err := s.begin("claim"); err != nil {
		return api.Claim{}, err
	}
	defer s.mu.Unlock()
	p := s.find(id)
	if p == nil {
		return api.Claim{}, wiki.NotFound()
	}
	if c := p.Conflict.Claim; c != nil && !c.Mine {
		return api.Claim{}, wiki.Errorf(wiki.CodeClaimed, "%s holds this pair", c.By)
	}
	p.Conflict.Claim = &api.Claim{By: s.who.Principal, Mine: true, ExpiresAt: s.now().Add(10 * time.Minute)}
	return *p.Conflict.Claim, nil
}

// Release implements giving it back.
func (s *Server) Release(_ context.Context, id string) error {
	if err := s.begin("release"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if p := s.find(id); p != nil && p.Conflict.Claim != nil && p.Conflict.Claim.Mine {
		p.Conflict.Claim = nil
	}
	return nil
}

// Held says who holds a pair, "" for nobody.
func (s *Server) Held(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.find(id); p != nil && p.Conflict.Claim != nil {
		return p.Conflict.Claim.By
	}
	return ""
}

// pairID is the id of a pair from its articles' ids.
func pairID(a, b uuid.UUID) string {
	x, y := a.String(), b.String()
	if strings.Compare(x, y) > 0 {
		x, y = y, x
	}
	return x + "." + y
}
