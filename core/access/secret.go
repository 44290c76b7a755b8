package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
)

// The form of a key: "wk_" and 30 random bytes as 40 url-safe characters (SPEC §1).
const (
	secretPrefix  = "wk_"
	secretBytes   = 30
	shownPrefixed = 8 // characters kept for display
)

var secretForm = regexp.MustCompile(`\A` + secretPrefix + `[A-Za-z0-9_-]{40}\z`)

// newSecret draws a key's text. rand.Read never fails: it ends the program when the system has no randomness.
func newSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw)
	return secretPrefix + base64.RawURLEncoding.EncodeToString(raw)
}

// hashSecret is what the database holds of a key. A plain hash is enough: the text has 240 random bits.
func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func shown(secret string) string { return secret[:shownPrefixed] }
