package api

// Pipeline says what became of the writes of the last days, today included (UTC).
type Pipeline struct {
	Days int `json:"days"`
	Writes
	Sources []SourceWrites `json:"sources"`
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
