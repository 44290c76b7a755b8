package api

import (
	"time"

	"github.com/google/uuid"
)

// Drift is a submission that made no row and said something else than the stored article.
type Drift struct {
	ID             uuid.UUID  `json:"id"`
	Article        ArticleRef `json:"article"`
	ArticleVersion int        `json:"article_version"`
	Title          string     `json:"title"`
	Body           *string    `json:"body,omitempty"`
	ContentDrift   bool       `json:"content_drift"`
	TitleDrift     bool       `json:"title_drift"`
	SubmittedBy    string     `json:"submitted_by"`
	SubmittedAt    time.Time  `json:"submitted_at"`
	State          string     `json:"state"`
}
