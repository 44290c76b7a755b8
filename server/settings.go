package server

import (
	"log/slog"
	"time"
)

// Settings of the HTTP surface. A zero field takes its default.
type Settings struct {
	Version        string        // of the program, shown by /health
	RequestTimeout time.Duration // bounds one call, the event stream aside; default 30 s
	BodyTimeout    time.Duration // how long a request's body may take to arrive; default 20 s
	DrainTimeout   time.Duration // how long a stopping server waits for calls in flight; default 10 s
	RatePerKey     int           // calls a minute and key, default 300; negative = no limit
	RateTenantKeys int           // a tenant's calls a minute, in multiples of RatePerKey; default 3
	EventPoll      time.Duration // how often an open stream looks for events; default 250 ms
	EventHeartbeat time.Duration // the longest silence of a stream; default 15 s
	BacklogKeep    time.Duration // how long what waits in the database is shown to scrapes before it is counted again; default 15 s
	Log            *slog.Logger  // default slog.Default(); gets no bodies and no keys
}

// Defaults of Settings; the rates are those of facts §2.
const (
	DefaultRequestTimeout = 30 * time.Second
	DefaultBodyTimeout    = 20 * time.Second
	DefaultDrainTimeout   = 10 * time.Second
	DefaultRatePerKey     = 300
	DefaultRateTenantKeys = 3
	DefaultEventPoll      = 250 * time.Millisecond
	DefaultEventHeartbeat = 15 * time.Second
	DefaultBacklogKeep    = 15 * time.Second
)

func (s Settings) withDefaults() Settings {
	span := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	span(&s.RequestTimeout, DefaultRequestTimeout)
	span(&s.BodyTimeout, DefaultBodyTimeout)
	span(&s.DrainTimeout, DefaultDrainTimeout)
	span(&s.EventPoll, DefaultEventPoll)
	span(&s.EventHeartbeat, DefaultEventHeartbeat)
	span(&s.BacklogKeep, DefaultBacklogKeep)
	if s.RatePerKey == 0 {
		s.RatePerKey = DefaultRatePerKey
	}
	if s.RateTenantKeys == 0 {
		s.RateTenantKeys = DefaultRateTenantKeys
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	return s
}
