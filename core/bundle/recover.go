package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// chunk is the lines of one field.
type chunk struct {
	line  int // of the file
	key   string
	value string // what follows the colon on the first line
	text  string // all lines
}

// recoverFields reads front matter that isn't valid YAML field by field: what is valid by itself is taken as it is, and
// the rest as plain text (case 71: one unquoted colon must not cost the header, nor put it into the body). It reports
// false when there is no field at all: then it is text between two rules.
func (h *header) recoverFields(block string, cause error) bool {
	chunks, unread := cutFields(block)
	if len(chunks) == 0 {
		return false
	}
	h.fields, h.source = map[string]any{}, map[string]string{}
	h.unread = strings.Join(unread, "\n")
	before := len(h.warnings)
	for _, c := range chunks {
		if _, twice := h.fields[c.key]; twice {
			h.warn(c.line, c.key, "the field is there twice; the first one counts")
			h.unread = strings.TrimLeft(h.unread+"\n"+c.text, "\n")
			continue
		}
		one := header{fields: map[string]any{}, source: map[string]string{}}
		_, err := one.parse(c.text)
		if value, ok := one.fields[c.key]; ok && err == nil {
			h.fields[c.key] = value
			if source, ok := one.source[c.key]; ok {
				h.source[c.key] = source
			}
			continue
		}
		value := c.plainText()
		h.fields[c.key], h.source[c.key] = value, value
		h.warn(c.line, c.key, "the value is not valid YAML and is read as plain text; put it in quotes")
	}
	if h.unread != "" || len(h.warnings) == before {
		h.warn(1, "", fmt.Sprintf("the front matter is not valid YAML (%s); what could be read was kept", firstLine(cause)))
	}
	return true
}

// cutFields cuts a block at the lines that begin a field; indented lines, list items and blank ones belong to the field
// above. Lines before the first field, and those that are none of these, are unread.
func cutFields(block string) (chunks []chunk, unread []string) {
	for i, line := range strings.Split(strings.TrimRight(block, "\n"), "\n") {
		belongs := line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "-")
		switch g := keyLine.FindStringSubmatch(line); {
		case g != nil:
			chunks = append(chunks, chunk{line: i + 2, key: g[1], value: g[2], text: line}) // the fence is line 1
		case belongs && len(chunks) > 0:
			chunks[len(chunks)-1].text += "\n" + line
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#"):
			unread = append(unread, line)
		}
	}
	return chunks, unread
}

// plainText is a value as it was typed: without a pair of quotes around it, with the lines below it.
func (c chunk) plainText() string {
	_, below, _ := strings.Cut(c.text, "\n")
	value := strings.TrimSpace(strings.TrimSpace(c.value) + "\n" + below)
	for _, quote := range []string{`"`, `'`} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			return value[1 : len(value)-1]
		}
	}
	return value
}

func firstLine(err error) string {
	var syntax *yaml.SyntaxError
	text := err.Error()
	if errors.As(err, &syntax) {
		text = syntax.Message
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}
