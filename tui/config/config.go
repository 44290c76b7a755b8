// Package config reads the workbench's config file, $XDG_CONFIG_HOME/wiki/tui.yaml. What is wrong in it is refused with the
// line, at the start: a key that does nothing, or something else than is thought, costs more later.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"wiki/tui/action"
)

// File is what the config file says.
type File struct {
	Server  string // address of the server
	KeyFile string // file that holds the key
	Theme   string // dark, light or auto (ask the terminal)
	Keys    []action.Binding
}

// Themes are the values of theme.
var Themes = []string{"auto", "dark", "light"}

// Path is where the file is looked for.
func Path() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "wiki", "tui.yaml"), nil
}

// Read reads the file; a missing one is an empty one.
func Read(path string) (File, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return File{}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("the config file cannot be read: %w", err)
	}
	f, err := Parse(raw)
	if err != nil {
		return File{}, fmt.Errorf("%s, %w", path, err)
	}
	return f, nil
}

// Parse reads the text of a config file. The error begins with the line at fault.
func Parse(raw []byte) (File, error) {
	var f File
	doc, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return f, fmt.Errorf("it is no YAML: %w", err)
	}
	for _, d := range doc.Docs {
		if d.Body == nil {
			continue
		}
		entries, err := mapping(d.Body)
		if err != nil {
			return f, err
		}
		for _, e := range entries {
			if err := f.set(e); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// entry is one "name: value" with its line.
type entry struct {
	name  string
	line  int
	value ast.Node
}

func mapping(n ast.Node) ([]entry, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		out := make([]entry, len(n.Values))
		for i, v := range n.Values {
			out[i] = entryOf(v)
		}
		return out, nil
	case *ast.MappingValueNode:
		return []entry{entryOf(n)}, nil
	case *ast.CommentGroupNode, *ast.NullNode:
		return nil, nil
	}
	return nil, fmt.Errorf("line %d: expected lines of the form \"name: value\"", lineOf(n))
}

func entryOf(v *ast.MappingValueNode) entry {
	return entry{name: text(v.Key), line: lineOf(v.Key), value: v.Value}
}

func lineOf(n ast.Node) int { return n.GetToken().Position.Line }

// text is a scalar as written, without its quotes.
func text(n ast.Node) string { return n.GetToken().Value }

func (f *File) set(e entry) error {
	switch e.name {
	case "server":
		return scalar(e, &f.Server)
	case "key_file":
		return scalar(e, &f.KeyFile)
	case "theme":
		if err := scalar(e, &f.Theme); err != nil {
			return err
		}
		if !slices.Contains(Themes, f.Theme) {
			return fmt.Errorf("line %d: there is no theme %q; write auto, dark or light", e.line, f.Theme)
		}
		return nil
	case "keys":
		return f.bind(e)
	}
	return fmt.Errorf("line %d: there is no setting %q; there are server, key_file, theme and keys", e.line, e.name)
}

func scalar(e entry, into *string) error {
	if _, ok := e.value.(ast.ScalarNode); !ok {
		return fmt.Errorf("line %d: %s takes one value", e.line, e.name)
	}
	*into = text(e.value)
	return nil
}

// bind reads the keys: "action: key" or "action: [key, key]"; an empty list leaves the action without a key.
func (f *File) bind(e entry) error {
	entries, err := mapping(e.value)
	if err != nil {
		return err
	}
	for _, b := range entries {
		binding := action.Binding{ID: action.ID(b.name), Line: b.line, Keys: []string{}}
		switch v := b.value.(type) {
		case *ast.SequenceNode:
			for _, k := range v.Values {
				if _, ok := k.(ast.ScalarNode); !ok {
					return fmt.Errorf("line %d: %s: a key is one word", lineOf(k), b.name)
				}
				binding.Keys = append(binding.Keys, text(k))
			}
		case *ast.NullNode:
		case ast.ScalarNode:
			binding.Keys = append(binding.Keys, text(v))
		default:
			return fmt.Errorf("line %d: %s takes a key or a list of keys", b.line, b.name)
		}
		f.Keys = append(f.Keys, binding)
	}
	return nil
}
