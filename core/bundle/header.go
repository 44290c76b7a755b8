package bundle

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"wiki/core/wiki"
)

// header is a file's front matter and the rest of the file.
type header struct {
	present  bool
	fields   map[string]any    // values that JSON can hold
	source   map[string]string // of plain values: as they stand in the file (a title 1.10 is not the number 1.1)
	unread   string            // lines that belong to no key
	warnings []Warning
	body     string
}

const (
	fence = "---"
	// maxAliases bounds YAML aliases, with which a few lines can stand for gigabytes.
	maxAliases = 16
)

// keyLine begins a field.
var keyLine = regexp.MustCompile(`^([\p{L}_][\p{L}\p{N}_ .-]*?)[ \t]*:(?:[ \t]+(.*))?$`)

// splitHeader takes the front matter off a text: a YAML mapping between --- lines at its very beginning. What stands
// between two such lines and has no key is text with rules around it, and stays text.
func splitHeader(text string) (header, error) {
	first, rest, found := strings.Cut(text, "\n")
	if !found || strings.TrimRight(first, " \t") != fence {
		return header{body: text}, nil
	}
	block, body, closed := cutFence(rest)
	if !closed {
		h := header{body: text}
		if next, _, _ := strings.Cut(rest, "\n"); keyLine.MatchString(next) {
			h.warn(1, "", "the front matter is never closed with ---; it is kept as text")
		}
		return h, nil
	}
	if len(block) > maxHeaderBytes {
		return header{}, wiki.Invalid("front_matter", "the front matter has %d bytes; at most %d are allowed", len(block), maxHeaderBytes)
	}
	if strings.TrimSpace(block) == "" {
		return header{present: true, body: body}, nil
	}
	h := header{present: true, fields: map[string]any{}, source: map[string]string{}, body: body}
	mapping, err := h.parse(block)
	if err == nil && !mapping {
		return header{body: text}, nil
	}
	if err != nil && !h.recoverFields(block, err) {
		return header{body: text}, nil
	}
	return h, nil
}

// cutFence finds the line that closes the front matter: --- or, as YAML has it, three dots.
func cutFence(rest string) (block, body string, closed bool) {
	for at := 0; at < len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if trimmed := strings.TrimRight(line, " \t"); trimmed == fence || trimmed == "..." {
			end := min(at+len(line)+1, len(rest))
			return rest[:at], rest[end:], true
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", "", false
}

// parse reads the whole block as YAML; mapping tells whether it has keys at all.
func (h *header) parse(block string) (mapping bool, err error) {
	// The YAML library has panicked on malformed input before; a bad file must not stop an import.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not valid YAML: %v", p)
		}
	}()
	file, err := parser.ParseBytes([]byte(block), 0)
	if err != nil {
		return false, err
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return false, nil
	}
	pairs := mappingPairs(file.Docs[0].Body)
	if pairs == nil {
		return false, nil
	}
	if n := countAliases(file); n > maxAliases {
		return true, fmt.Errorf("it has %d aliases; at most %d are allowed", n, maxAliases)
	}
	decoded := map[string]any{}
	if err := yaml.NodeToValue(file.Docs[0].Body, &decoded); err != nil {
		return true, err
	}
	for key, value := range decoded {
		h.fields[key] = plain(value, 1)
	}
	for _, pair := range pairs {
		if scalar, ok := pair.Value.(ast.ScalarNode); ok && pair.Key != nil {
			h.source[keyText(pair.Key)] = scalarText(scalar)
		}
	}
	return true, nil
}

func mappingPairs(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

type aliasCounter int

func (c *aliasCounter) Visit(node ast.Node) ast.Visitor {
	if node.Type() == ast.AliasType {
		*c++
	}
	return c
}

func countAliases(file *ast.File) int {
	var c aliasCounter
	for _, doc := range file.Docs {
		ast.Walk(&c, doc)
	}
	return int(c)
}

func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return key.GetToken().Value
}

// scalarText is a plain value as it stands in the file; empty for null.
func scalarText(node ast.ScalarNode) string {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.NullNode:
		return ""
	}
	return node.GetToken().Value
}

// plain makes a value one that JSON can hold.
func plain(value any, depth int) any {
	if depth > wiki.MaxMetadataDepth/2 {
		return fmt.Sprint(value)
	}
	switch v := value.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i], depth+1)
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key], depth+1)
		}
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[fmt.Sprint(key)] = plain(item, depth+1)
		}
		return out
	case string: // an escape can make what PostgreSQL can't keep
		return strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
	case nil, bool, int, int64, uint64:
	default:
		return fmt.Sprint(v)
	}
	return value
}

func (h *header) warn(line int, field, message string) {
	h.warnings = append(h.warnings, Warning{Line: line, Field: field, Message: message})
}

// text gives a field as one line of text; empty when it is absent, or neither text nor a number.
func (h *header) text(key string) string {
	if source, ok := h.source[key]; ok {
		return strings.Join(strings.Fields(source), " ")
	}
	if s, ok := h.fields[key].(string); ok {
		return strings.Join(strings.Fields(s), " ")
	}
	return ""
}

// list gives a field as a list: a YAML list, or text with commas or blanks between the items.
func (h *header) list(key string) []string {
	var out []string
	add := func(item string) {
		if item = strings.TrimPrefix(strings.TrimSpace(item), "#"); item != "" {
			out = append(out, item)
		}
	}
	switch v := h.fields[key].(type) {
	case nil:
	case []any:
		for _, item := range v {
			if item != nil {
				add(fmt.Sprint(item))
			}
		}
	case string:
		split := unicode.IsSpace
		if strings.Contains(v, ",") || key == "aliases" || key == "alias" {
			split = func(r rune) bool { return r == ',' }
		}
		for _, item := range strings.FieldsFunc(v, split) {
			add(item)
		}
	default:
		add(h.text(key))
	}
	return out
}
