package openapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// Comments are what the source of the wire types says of them.
type Comments struct {
	types  map[string]string
	fields map[string]string // "Type.Field"
}

func (c Comments) ofType(name string) string         { return c.types[name] }
func (c Comments) ofField(name, field string) string { return c.fields[name+"."+field] }

// ReadComments takes the comments of all types in the Go files at the root of source.
func ReadComments(source fs.FS) (Comments, error) {
	c := Comments{types: map[string]string{}, fields: map[string]string{}}
	names, err := fs.Glob(source, "*.go")
	if err != nil {
		return c, fmt.Errorf("openapi: list the source: %w", err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(source, name)
		if err != nil {
			return c, fmt.Errorf("openapi: read the source: %w", err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, raw, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return c, fmt.Errorf("openapi: parse the source: %w", err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				c.add(g)
			}
		}
	}
	return c, nil
}

func (c Comments) add(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		c.types[t.Name.Name] = strings.TrimSpace(strings.ReplaceAll(g.Doc.Text(), "\n", " "))
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			for _, n := range f.Names {
				c.fields[t.Name.Name+"."+n.Name] = strings.TrimSpace(strings.ReplaceAll(f.Doc.Text()+f.Comment.Text(), "\n", " "))
			}
		}
	}
}
