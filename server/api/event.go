package api

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// HeaderLastEventID resumes the event stream after the event it names.
const HeaderLastEventID = "Last-Event-ID"

// Event is one change, as the event stream sends it. Events are hints to read again, never the truth itself.
type Event struct {
	ID      string          `json:"id"`   // opaque: send it as Last-Event-ID to go on after it
	Kind    string          `json:"kind"` // such as conflict.judged, article.published
	Subject *uuid.UUID      `json:"subject,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	At      time.Time       `json:"at"`
}

// Health is the answer of the health routes.
type Health struct {
	Status  string            `json:"status"`           // ok or unavailable
	Version string            `json:"version"`          // of the server
	Checks  map[string]string `json:"checks,omitempty"` // readiness only: ok, or what is wrong
}
