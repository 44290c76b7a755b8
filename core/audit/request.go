package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
)

type requestKey struct{}

// WithRequest puts the digest of the request that is being answered into the context, from where Write keeps it with an act
// that has a key, and Replay compares it (case 68). It says nothing to the rooms between, and is of the whole call. An act
// that no request asked for, or that was written before there were digests, has none and is compared by act and subject.
func WithRequest(ctx context.Context, digest [sha256.Size]byte) context.Context {
	return context.WithValue(ctx, requestKey{}, digest)
}

// digestOf gives the digest of the request, nil for none.
func digestOf(ctx context.Context) []byte {
	digest, known := ctx.Value(requestKey{}).([sha256.Size]byte)
	if !known {
		return nil
	}
	return digest[:]
}

// another tells apart two requests of which both have a digest.
func another(a, b []byte) bool { return a != nil && b != nil && !bytes.Equal(a, b) }
