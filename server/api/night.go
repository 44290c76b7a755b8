package api

import "time"

// Night is one pass of a tenant's nightly consumers.
type Night struct {
	Night      string      `json:"night"` // 2006-01-02, UTC
	StartedBy  string      `json:"started_by"`
	StartedAt  time.Time   `json:"started_at"`
	FinishedAt *time.Time  `json:"finished_at"`   // null: it goes on, or nobody has gone on with it
	Cut        string      `json:"cut,omitempty"` // which consumers did not come to their end, and why
	SpentMS    int64       `json:"spent_ms"`      // of work
	Steps      []NightStep `json:"steps"`         // in the order of the pass
}

// NightStep is what one consumer did. Offered is what there was to do as far as it was looked at; Gate is what let it work, or
// kept it from working: open, paused, count_exhausted, time_exhausted, stopped, broken, not_due, or "" when it was not reached.
type NightStep struct {
	Consumer string `json:"consumer"`
	Offered  int    `json:"offered"`
	Applied  int    `json:"applied"`
	Refused  int    `json:"refused"`
	Withheld int    `json:"withheld"`
	Failed   int    `json:"failed"`
	Gate     string `json:"gate"`
}
