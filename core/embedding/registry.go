package embedding

import "wiki/core/embedding/minilm"

// Where the thresholds start (SPEC §3). An entry that the eval has measured carries its own.
const (
	defaultDuplicateAt  = 0.97
	defaultLowNoveltyAt = 0.88
	defaultConflictAt   = 0.93
)

// For an endpoint's model that the registry doesn't know: safe for every model in common use.
const (
	defaultMaxTokens     = 512
	defaultBytesPerToken = 2 // code and Chinese have 2 to 3, English prose 4 to 5
)

// registry lists the known models. The endpoints' models share the starting thresholds until they are measured. Those of the
// built-in one are measured (wiki-server eval --gate, on STS-B and the project's own pairs): 0.97 is the lowest at which no
// two sentences that say different things are one by their cosine alone, 0.88 tells what belongs together from what does not
// with the highest F1. They happen to be where SPEC §3 starts.
var registry = []Model{
	{ID: minilm.ID, Dims: minilm.Dims, MaxTokens: minilm.MaxTokens, DuplicateAt: 0.97, LowNoveltyAt: 0.88, ConflictAt: 0.93},
	{ID: "text-embedding-3-small", Dims: 1536, MaxTokens: 8191, BytesPerToken: 2, DimensionParam: true},
	{ID: "text-embedding-3-large", Dims: 3072, MaxTokens: 8191, BytesPerToken: 2, DimensionParam: true},
	{ID: "text-embedding-ada-002", Dims: 1536, MaxTokens: 8191, BytesPerToken: 2},
	{ID: "nomic-embed-text", Dims: 768, MaxTokens: 2048, BytesPerToken: 2},
	{ID: "mxbai-embed-large", Dims: 1024, MaxTokens: 512, BytesPerToken: 2},
	{ID: "bge-m3", Dims: 1024, MaxTokens: 8192, BytesPerToken: 2},
}

// Lookup gives the registry's entry for a model id. A model that isn't there gets the starting thresholds and a short
// section, and Dims 0: the operator has to say them.
func Lookup(id string) (m Model, known bool) {
	m = Model{ID: id, MaxTokens: defaultMaxTokens, BytesPerToken: defaultBytesPerToken}
	for _, entry := range registry {
		if entry.ID == id {
			m, known = entry, true
		}
	}
	if m.DuplicateAt == 0 {
		m.DuplicateAt, m.LowNoveltyAt, m.ConflictAt = defaultDuplicateAt, defaultLowNoveltyAt, defaultConflictAt
	}
	return m, known
}
