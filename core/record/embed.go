package record

import (
	"context"
	"math"

	"wiki/core/embedding"
	"wiki/core/wiki"
)

// Embedded is the vector of an article's text, made before the transaction that stores it, so that no transaction waits
// for a provider. The zero value means that there is none yet: the article is saved and waits for its vector.
type Embedded struct {
	Document *embedding.Document
	Hash     string // wiki.ContentHash of the text it was made of; it is stored with that text only
	Wordless bool   // the text has no words: there is nothing to make a vector of, now or later
}

// Embed makes the vector of an article. A failure is returned beside an Embedded that can still be stored: a provider that
// is down never loses a write (case 62).
func Embed(ctx context.Context, e embedding.Embedder, title, body string) (Embedded, error) {
	made := Embedded{Hash: wiki.ContentHash(title, body)}
	docs, err := e.Embed(ctx, []string{embedding.ArticleText(title, body)})
	if err != nil {
		made.Wordless = wiki.ErrorCode(err) == wiki.CodeInvalid
		return made, err
	}
	if err := usable(e.Model(), docs); err != nil {
		return made, err
	}
	made.Document = &docs[0]
	return made, nil
}

// usable refuses what a faulty provider may answer: too few vectors, vectors of another length, NaN.
func usable(model embedding.Model, docs []embedding.Document) error {
	if len(docs) != 1 {
		return wiki.Errorf(wiki.CodeSemanticDown, "the embedding model gave %d vectors for one text", len(docs))
	}
	for _, v := range append([][]float32{docs[0].Whole}, docs[0].Sections...) {
		if len(v) != model.Dims {
			return wiki.Errorf(wiki.CodeSemanticDown, "the embedding model gave a vector of %d dimensions instead of %d", len(v), model.Dims)
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			return wiki.Errorf(wiki.CodeSemanticDown, "the embedding model gave a vector that has no direction")
		}
	}
	return nil
}
