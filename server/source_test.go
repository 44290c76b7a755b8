package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/server"
)

// reads are what the source says that a route's handler takes from a call.
type reads struct {
	params []string // of the query string, by name
	body   string   // the wire type that is decoded, such as NewKey; empty = none
}

// readers are the methods of params that take a parameter's name first.
var readers = []string{"text", "choice", "number", "fraction", "flag", "on", "id", "list", "serial", "cursor", "day"}

// handlers reads the package's source, so that a parameter or a body that is added is tested without anyone's remembering.
func handlers(t *testing.T) map[string]reads {
	t.Helper()
	funcs := map[string]*ast.FuncDecl{}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				funcs[fn.Name.Name] = fn
			}
		}
	}
	out := map[string]reads{}
	for route, handler := range server.Handlers() {
		var r reads
		r.collect(funcs, handler, map[string]bool{})
		slices.Sort(r.params)
		r.params = slices.Compact(r.params)
		out[route] = r
	}
	return out
}

// collect walks a function and those of the package that it hands the call to.
func (r *reads) collect(funcs map[string]*ast.FuncDecl, name string, done map[string]bool) {
	fn := funcs[name]
	if fn == nil || done[name] {
		return
	}
	done[name] = true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok { // var in api.Proposal, for a body that is taken apart by hand
			if kind, ok := v.Type.(*ast.SelectorExpr); ok && isNamed(kind.X, "api") {
				r.body = kind.Sel.Name
			}
		}
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := c.Fun.(type) {
		case *ast.SelectorExpr:
			on, isName := f.X.(*ast.Ident)
			if isName && on.Name == "p" && slices.Contains(readers, f.Sel.Name) {
				if lit, ok := c.Args[0].(*ast.BasicLit); ok {
					param, _ := strconv.Unquote(lit.Value)
					r.params = append(r.params, param)
				}
			} else if isName && slices.Contains([]string{"p", "q", "s"}, on.Name) {
				r.collect(funcs, f.Sel.Name, done)
			}
		case *ast.Ident:
			r.collect(funcs, f.Name, done)
		case *ast.IndexExpr: // such as decode of an api.NewKey
			if called, ok := f.X.(*ast.Ident); ok && strings.HasPrefix(called.Name, "decode") {
				if kind, ok := f.Index.(*ast.SelectorExpr); ok && isNamed(kind.X, "api") {
					r.body = kind.Sel.Name
				}
			}
		}
		return true
	})
}

func isNamed(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
