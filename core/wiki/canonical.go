package wiki

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Canonical is the form in which two texts are compared: NFC, line ends as \n, no blanks at the ends of lines, none around
// the whole. Two texts that differ only in these say the same (cases 73 and 74). What is stored keeps the blanks.
func Canonical(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(norm.NFC.String(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// ContentHash is the SHA-256, in hex, of an article's canonical title and body. Equal hashes mean identical text, which
// the gate then needs no vector to find.
func ContentHash(title, body string) string {
	sum := sha256.Sum256([]byte(Canonical(title) + "\n\n" + Canonical(body)))
	return hex.EncodeToString(sum[:])
}
