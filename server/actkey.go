package server

import (
	"bytes"
	"crypto/sha256"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"wiki/core/audit"
	"wiki/core/wiki"
	"wiki/server/api"
)

// maxActKeyBytes bounds the Idempotency-Key header, as the column that keeps it does.
const maxActKeyBytes = wiki.MaxIdempotencyKeyBytes

// actKey reads the Idempotency-Key header; empty when there is none. With one it reads the body too, so that the context
// says from then on which request the key stands for. Errors: CodeInvalidParameter; those of readBody.
func (q *request) actKey() (string, error) {
	key := q.Header.Get(api.HeaderIdempotencyKey)
	if len(key) > maxActKeyBytes || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return "", badParameter(api.HeaderIdempotencyKey, "must be UTF-8 text of at most %d bytes", maxActKeyBytes)
	}
	if key == "" {
		return "", nil
	}
	raw, err := readBody(q)
	if err != nil {
		return "", err
	}
	q.Request = q.WithContext(audit.WithRequest(q.Context(), digest(q.Method, q.URL.Path, raw)))
	q.Body = io.NopCloser(bytes.NewReader(raw)) // decode takes it again
	return key, nil
}

// digest tells requests apart by what they ask: their method, path and body. How the JSON of a body is written, its spaces,
// escapes and the order of names, makes no other request, and neither does no body instead of an empty one.
func digest(method, path string, raw []byte) [sha256.Size]byte {
	body := jsontext.Value("{}")
	if len(bytes.TrimSpace(raw)) > 0 {
		body = bytes.Clone(raw)
	}
	// What is no JSON is refused, wherever it is decoded. Numbers stay as they are written: no two different ones may meet.
	_ = body.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return sha256.Sum256(slices.Concat([]byte(method+" "+path+"\n"), body))
}
