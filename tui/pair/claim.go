package pair

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/conflicts"
	"wiki/tui/screen"
)

// renewBefore is how long before its end a lease is renewed.
const renewBefore = 3 * time.Minute

// claims is the lease on the pair shown.
type claims struct {
	id     string // the pair that is or is being claimed, "" for none
	until  time.Time
	refuse string // who holds it instead
}

// Claimed is a message: a lease was taken, or not.
type Claimed struct {
	id    string
	claim api.Claim
	err   error
}

// Failure implements screen.Answer. That somebody else holds the pair is no failure of the server.
func (c Claimed) Failure() error { return c.err }

// Released is a message: a lease was given back, or not.
type Released struct{ err error }

// Failure implements screen.Answer.
func (r Released) Failure() error { return r.err }

// renewDue is a message: the lease of a pair ends soon.
type renewDue struct{ id string }

// claim takes the lease on the pair shown. Only open pairs are claimed, and only while the screen shows.
func (s *Screen) claim() tea.Cmd {
	c, known := s.Conflict()
	if !s.shown || s.id == "" || s.claims.id == s.id || (known && c.State != "open") {
		return nil
	}
	s.claims = claims{id: s.id}
	return s.takeLease(s.id)
}

func (s *Screen) takeLease(id string) tea.Cmd {
	return s.env.Call(func(ctx context.Context) tea.Msg {
		c, err := s.source.Claim(ctx, id)
		return Claimed{id: id, claim: c, err: err}
	})
}

// release gives the lease back.
func (s *Screen) release() tea.Cmd {
	id, refused := s.claims.id, s.claims.refuse != ""
	s.claims = claims{}
	if id == "" || refused {
		return nil
	}
	return s.giveBack(id)
}

// Held is the pair whose lease is held, "" for none.
func (s *Screen) Held() string {
	if s.claims.refuse != "" {
		return ""
	}
	return s.claims.id
}

func (s *Screen) giveBack(id string) tea.Cmd {
	return s.env.Call(func(ctx context.Context) tea.Msg { return Released{err: s.source.Release(ctx, id)} })
}

func (s *Screen) heardClaimed(c Claimed) tea.Cmd {
	if c.id != s.claims.id {
		if c.err == nil {
			return s.giveBack(c.id) // the curator has moved on
		}
		return nil
	}
	if c.err != nil {
		if wiki.ErrorCode(c.err) == wiki.CodeClaimed {
			s.claims.refuse = conflicts.Explain(c.err)
			return nil
		}
		s.claims = claims{} // without a lease the verdict is still checked by the server
		return nil
	}
	s.claims.until = c.claim.ExpiresAt
	if d := c.claim.ExpiresAt.Sub(s.env.Now()) - renewBefore; d > 0 {
		return s.env.After(d, renewDue{id: c.id})
	}
	return nil
}

// heldBy says who else holds the pair: as the server answered the claim, or as the queue says.
func (s *Screen) heldBy(c api.Conflict) string {
	if by := conflicts.HeldBy(c, s.env); by != "" {
		return by
	}
	if s.claims.id == s.id && s.claims.refuse != "" {
		return "another curator"
	}
	return ""
}

// changedUnderEyes tells the curator that the text on screen is not the one it was.
func changedUnderEyes() tea.Msg {
	return screen.Note{Text: "an article of this pair was changed just now: this is its new text", Bad: true}
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Loaded:
		return s.heardLoaded(msg)
	case Claimed:
		return s.heardClaimed(msg)
	case renewDue:
		if msg.id == s.claims.id && s.claims.refuse == "" {
			return s.takeLease(msg.id)
		}
	}
	return nil
}
