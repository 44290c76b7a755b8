package server

import (
	"time"

	"wiki/core/nightly"
	"wiki/server/api"
)

// nights says what the nightly consumers did.
func (s *Server) nights(q *request) (*answer, error) {
	p := q.params()
	limit := p.number("limit", nightly.DefaultPasses, 1, nightly.MaxPasses)
	if p.err != nil {
		return nil, p.err
	}
	passes, err := s.core.Nightly.Passes(q.Context(), q.actor, limit)
	if err != nil {
		return nil, err
	}
	return ok(all(passes, nightView)).with(api.Meta{Limit: limit}), nil
}

func nightView(r nightly.Report) api.Night {
	return api.Night{
		Night: r.Night.Format(time.DateOnly), StartedBy: r.StartedBy, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Cut: r.Cut, SpentMS: r.Spent.Milliseconds(),
		Steps: all(r.Steps, func(s nightly.Step) api.NightStep {
			return api.NightStep{
				Consumer: s.Consumer, Offered: s.Offered, Applied: s.Applied, Refused: s.Refused, Withheld: s.Withheld, Failed: s.Failed, Gate: string(s.Gate),
			}
		}),
	}
}
