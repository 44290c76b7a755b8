package embedding

import (
	"context"
	"errors"
	"sync"

	"wiki/core/embedding/minilm"
	"wiki/core/wiki"
)

// BuiltIn gives the model that is part of the binary. It is loaded once: about 0.1 s and 70 MB.
func BuiltIn() (Embedder, error) { return builtIn() }

var builtIn = sync.OnceValues(func() (Embedder, error) {
	m, err := minilm.Default()
	if err != nil {
		return nil, &wiki.Error{Code: wiki.CodeInternal, Message: "the built-in embedding model can't be loaded", Err: err}
	}
	entry, _ := Lookup(minilm.ID)
	return local{net: m, model: entry}, nil
})

// local runs the model in this process.
type local struct {
	net   *minilm.Model
	model Model
}

func (l local) Model() Model { return l.model }

func (l local) Embed(ctx context.Context, texts []string) ([]Document, error) {
	got, err := l.net.Embed(ctx, texts)
	switch {
	case errors.Is(err, minilm.ErrNoTokens):
		return nil, noWords(err)
	case err != nil:
		return nil, err // only the caller's context can end it
	}
	docs := make([]Document, len(got))
	for i, e := range got {
		docs[i] = Document{Whole: e.Whole, Sections: e.Sections}
	}
	return docs, nil
}

func (l local) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return embedOne(ctx, l, query)
}

// embedOne is EmbedQuery for an embedder that treats queries as documents.
func embedOne(ctx context.Context, e Embedder, query string) ([]float32, error) {
	docs, err := e.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	return docs[0].Whole, nil
}

// noWords is the error for a text that has no vector.
func noWords(cause error) error {
	return &wiki.Error{Code: wiki.CodeInvalid, Field: "text", Message: "the text has no words to compare", Err: cause}
}
