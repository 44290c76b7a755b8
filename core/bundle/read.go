package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"wiki/core/wiki"
)

// Read reads one file. The error, CodeInvalid with the field at fault, is the file's own: the rest can still be read.
// The document of a failed file has its Path, and its FileHash when the file could be read at all.
func (s *Source) Read(p string) (Document, error) {
	doc := Document{Path: p}
	raw, err := s.readBytes(p)
	if err != nil {
		return doc, err
	}
	doc.FileHash = hash(raw)
	text, err := decode(raw)
	if err != nil {
		return doc, err
	}
	doc.FileHash = hash([]byte(text))
	h, err := splitHeader(text)
	if err != nil {
		return doc, err
	}
	doc.Warnings = h.warnings
	doc.Metadata = map[string]any{MetaSourcePath: norm.NFC.String(p)}
	if s.format == FormatOKF {
		fillOKF(&doc, h)
	} else {
		fillNote(&doc, h)
	}
	if h.unread != "" {
		doc.Metadata[MetaUnread] = h.unread
	}
	page := parsePage(h.body)
	doc.Links = page.links
	s.nameIt(&doc, h, page)
	if doc.Title, err = wiki.CleanTitle(doc.Title); err != nil {
		return doc, err
	}
	doc.Body, err = wiki.CleanBody(doc.Body)
	return doc, err
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// decode gives a file's text in one form: UTF-8 without a byte order mark, \n line ends, NFC (cases 73 and 74).
func decode(raw []byte) (string, error) {
	if bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		return "", wiki.Invalid("body", "the file is UTF-16; save it as UTF-8")
	}
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !utf8.Valid(raw) {
		return "", wiki.Invalid("body", "line %d is not valid UTF-8; save the file as UTF-8", firstBadLine(raw))
	}
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return "", wiki.Invalid("body", "line %d holds a NUL character; remove it", 1+bytes.Count(raw[:at], []byte("\n")))
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	return norm.NFC.String(strings.ReplaceAll(text, "\r", "\n")), nil
}

func firstBadLine(raw []byte) int {
	line := 1
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		raw = raw[size:]
	}
	return line
}

// fillNote takes what a note's front matter says: nothing in it is required.
func fillNote(doc *Document, h header) {
	if len(h.fields) > 0 {
		doc.Metadata[MetaFrontMatter] = h.fields
	}
	doc.Category = wiki.Category("reference")
	for _, key := range []string{"category", "type"} {
		if c := wiki.Category(strings.ToLower(h.text(key))); wiki.CheckCategory(c) == nil {
			doc.Category = c
			break
		}
	}
	doc.Tags = wiki.SanitiseTags(append(h.list("tags"), h.list("tag")...))
	doc.Aliases = append(h.list("aliases"), h.list("alias")...)
}

// stem is a file's name without its extension.
func stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}
