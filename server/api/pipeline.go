package api

// Pipeline says what became of the writes of the last days, today included (UTC).
type Pipeline struct {
	Days int `json:"days"`
	Writes
	Sources []SourceWrites `json:"sources"`
	ByDay   []DayWrites    `json:"by_day"` // every day of the span, oldest first
}

// DayWrites are the proposals of one day. Those that made nothing are neither created nor refused.
type DayWrites struct {
	Day          string `json:"day"` // 2006-01-02, UTC
	Total        int    `json:"total"`
	Created      int    `json:"created"`
	Refused      int    `json:"refused"`
	ContentDrift int    `json:"content_drift"`
	TitleDrift   int    `json:"title_drift"`
}

// Writes are counts of proposals. ByOutcome has the gate's verdicts, and the codes of refusals. The drifts are among the
// deduplicated.
type Writes struct {
	Total        int            `json:"total"`
	Created      int            `json:"created"`
	ByOutcome    map[string]int `json:"by_outcome"`
	ContentDrift int            `json:"content_drift"`
	TitleDrift   int            `json:"title_drift"`
}

// SourceWrites are the writes of one source type, "" for those that named none.
type SourceWrites struct {
	SourceType string `json:"source_type"`
	Writes
}
