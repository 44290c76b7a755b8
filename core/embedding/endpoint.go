package embedding

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"

	"wiki/core/remote"
	"wiki/core/wiki"
)

// EndpointConfig says where an OpenAI-compatible embeddings service is. Zero fields take the defaults.
type EndpointConfig struct {
	BaseURL string // up to and without /embeddings, such as https://api.openai.com/v1
	Model   string // as the service names it
	Key     string // sent as a bearer token; empty for a service without keys. Never in an error or a log

	// Dims is the length of a vector. 0 = the registry's; for a model that the registry doesn't know it is required.
	// A length other than the registry's is asked for with the "dimensions" parameter, where the model takes it.
	Dims int
	// DuplicateAt, LowNoveltyAt and ConflictAt override the registry's thresholds, when not 0.
	DuplicateAt, LowNoveltyAt, ConflictAt float64
	// MaxTokens overrides the registry's length of a section, when not 0.
	MaxTokens int

	BatchInputs int // texts in one request; default 64
	BatchBytes  int // text in one request; default 256 kB
	Attempts    int // tries of one request, when the failure may pass; default remote.DefaultAttempts

	Now   func() time.Time                                 // default time.Now
	Sleep func(ctx context.Context, d time.Duration) error // default: a timer
}

// Defaults of EndpointConfig.
const (
	DefaultBatchInputs = 64
	DefaultBatchBytes  = 256 << 10
)

// providerName is what messages call the service.
const providerName = "the embedding provider"

var hints = map[int]string{
	http.StatusRequestEntityTooLarge: "set a smaller section or batch",
	0:                                "check the model's name, dimensions and section length",
}

// Endpoint embeds by an OpenAI-compatible service over HTTP.
type Endpoint struct {
	cfg       EndpointConfig
	model     Model
	askedDims int // sent as "dimensions"; 0 = not sent
	service   *remote.Client
}

// NewEndpoint checks the configuration; it doesn't call the service. The error is CodeInvalid on the setting at fault.
func NewEndpoint(cfg EndpointConfig) (*Endpoint, error) {
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	if !strings.HasPrefix(cfg.BaseURL, "http://") && !strings.HasPrefix(cfg.BaseURL, "https://") {
		return nil, wiki.Invalid("base_url", "the embeddings endpoint must begin with http:// or https://")
	}
	if cfg.Model == "" {
		return nil, wiki.Invalid("model", "the embeddings endpoint needs a model name")
	}
	cfg.BatchInputs = cmp.Or(cfg.BatchInputs, DefaultBatchInputs)
	cfg.BatchBytes = cmp.Or(cfg.BatchBytes, DefaultBatchBytes)
	e := &Endpoint{cfg: cfg, service: remote.New(remote.Config{
		Name: providerName, URL: cfg.BaseURL + "/embeddings", Key: cfg.Key, Attempts: cfg.Attempts, Hints: hints, Now: cfg.Now, Sleep: cfg.Sleep,
	})}
	var err error
	e.model, e.askedDims, err = endpointModel(cfg)
	return e, err
}

// endpointModel joins the registry's entry with the configuration. Shortened vectors are another population, so they
// get an id of their own.
func endpointModel(cfg EndpointConfig) (m Model, askedDims int, err error) {
	m, known := Lookup(cfg.Model)
	switch {
	case cfg.Dims < 0 || (cfg.Dims == 0 && !known):
		return Model{}, 0, wiki.Invalid("dimensions", "the length of %s's vectors is not known: set it", cfg.Model)
	case cfg.Dims != 0 && known && cfg.Dims != m.Dims:
		if !m.DimensionParam || cfg.Dims > m.Dims {
			return Model{}, 0, wiki.Invalid("dimensions", "%s makes vectors of %d numbers, not %d", cfg.Model, m.Dims, cfg.Dims)
		}
		askedDims = cfg.Dims
		m.ID, m.Dims = shortenedID(m.ID, cfg.Dims), cfg.Dims
	case cfg.Dims != 0:
		m.Dims = cfg.Dims
	}
	m.DuplicateAt = cmp.Or(cfg.DuplicateAt, m.DuplicateAt)
	m.LowNoveltyAt = cmp.Or(cfg.LowNoveltyAt, m.LowNoveltyAt)
	m.ConflictAt = cmp.Or(cfg.ConflictAt, m.ConflictAt)
	m.MaxTokens = cmp.Or(cfg.MaxTokens, m.MaxTokens)
	return m, askedDims, nil
}

// Model implements Embedder.
func (e *Endpoint) Model() Model { return e.model }

// EmbedQuery implements Embedder.
func (e *Endpoint) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return embedOne(ctx, e, query)
}

// Embed implements Embedder.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([]Document, error) {
	var parts []string
	counts := make([]int, len(texts)) // sections of each text
	for i, text := range texts {
		if !hasWords(text) {
			return nil, noWords(nil)
		}
		cut := cutText(text, e.model.MaxTokens*max(e.model.BytesPerToken, 1))
		parts, counts[i] = append(parts, cut...), len(cut)
	}
	vectors := make([][]float32, 0, len(parts))
	for rest := parts; len(rest) > 0; {
		n := e.batch(rest)
		got, err := e.request(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		vectors, rest = append(vectors, got...), rest[n:]
	}
	docs := make([]Document, len(texts))
	for i, n := range counts {
		doc, err := document(vectors[:n], parts[:n])
		if err != nil {
			return nil, err
		}
		docs[i], vectors, parts = doc, vectors[n:], parts[n:]
	}
	return docs, nil
}

// batch says how many of the texts fit one request: at least one.
func (e *Endpoint) batch(texts []string) int {
	n, size := 0, 0
	for n < len(texts) && n < e.cfg.BatchInputs && (n == 0 || size+len(texts[n]) <= e.cfg.BatchBytes) {
		size += len(texts[n])
		n++
	}
	return n
}

// document joins the vectors of a text's sections, weighted by their lengths.
func document(vectors [][]float32, parts []string) (Document, error) {
	if len(vectors) == 1 {
		return Document{Whole: vectors[0]}, nil
	}
	whole := make([]float32, len(vectors[0]))
	for i, v := range vectors {
		for j, x := range v {
			whole[j] += float32(len(parts[i])) * x
		}
	}
	if !normalise(whole) {
		return Document{}, down(remote.Errorf(remote.BadAnswer, nil, "the sections' vectors cancel each other out"))
	}
	return Document{Whole: whole, Sections: vectors}, nil
}

// hasWords says whether there is anything to embed: services refuse or misread a text of blanks and control characters.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.Is(unicode.C, r) && !unicode.Is(unicode.Mn, r) && r != unicode.ReplacementChar
	})
}
