package wiki

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// sealBytes of the digest vouch for a sealed text: 128 bits.
const sealBytes = 16

// Seal makes a text that the server will know again as its own: text and a keyed digest (HMAC-SHA-256) of it and of what
// it was made for. It hides nothing.
func Seal(key []byte, text string, purpose ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + base64.RawURLEncoding.EncodeToString(sealOf(key, text, purpose))
}

// Unseal gives the text back; false when a byte of it was changed, or when it was sealed for something else or by another
// key.
func Unseal(key []byte, sealed string, purpose ...string) (string, bool) {
	encoded, seal, _ := strings.Cut(sealed, ".")
	strict := base64.RawURLEncoding.Strict() // one text has one form
	text, err := strict.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	given, err := strict.DecodeString(seal)
	if err != nil || !hmac.Equal(given, sealOf(key, string(text), purpose)) {
		return "", false
	}
	return string(text), true
}

// sealOf digests each part with its length, so that no two lists of parts look alike.
func sealOf(key []byte, text string, purpose []string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range append([]string{text}, purpose...) {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // a digest takes every byte
		_, _ = mac.Write([]byte(part))
	}
	return mac.Sum(nil)[:sealBytes]
}
