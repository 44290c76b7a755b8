package statements

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

const (
	// maxDepth stops at code that calls itself, maxTexts at a combination that has run away.
	maxDepth = 40
	maxTexts = 500
	// sampleNumber stands for a number that is known only when the program runs. A number can carry no SQL.
	sampleNumber = "384"
)

var errTooMany = fmt.Errorf("the parts combine to more than %d statements", maxTexts)

// evaluator follows expressions to the texts that they can be.
type evaluator struct {
	rooms   *rooms
	samples map[string]string
	used    map[token.Pos]bool // string literals that became part of a statement
	depth   int
}

// scope is where an expression stands.
type scope struct {
	room  *room
	file  *ast.File
	fn    *ast.FuncDecl
	bound map[string][]text // the parameters' texts in a function that was followed from a call
}

// text is one thing that an expression can be. name is that of the package-level value that is the whole of it.
type text struct{ text, name string }

func unnamed(in []text) []text {
	out := make([]text, len(in))
	for i, t := range in {
		out[i] = text{text: t.text}
	}
	return out
}

func (e *evaluator) eval(x ast.Expr, s scope) ([]text, error) {
	if e.depth++; e.depth > maxDepth {
		e.depth--
		return nil, errors.New("the text is put together too deeply to be followed")
	}
	defer func() { e.depth-- }()
	switch x := x.(type) {
	case *ast.BasicLit:
		return e.literal(x)
	case *ast.ParenExpr:
		return e.eval(x.X, s)
	case *ast.BinaryExpr:
		return e.joined(x, s)
	case *ast.Ident:
		return e.named(x, s)
	case *ast.SelectorExpr:
		return e.selected(x, s)
	case *ast.IndexExpr:
		return e.elements(x.X, s)
	case *ast.CallExpr:
		return e.called(x, s)
	}
	return nil, fmt.Errorf("a %T cannot be followed to constants: keep SQL in named constants, and input in parameters", x)
}

func (e *evaluator) literal(x *ast.BasicLit) ([]text, error) {
	if x.Kind == token.INT {
		return []text{{text: x.Value}}, nil
	}
	if x.Kind != token.STRING {
		return nil, fmt.Errorf("%s is no text", x.Value)
	}
	e.used[x.Pos()] = true
	s, err := strconv.Unquote(x.Value)
	return []text{{text: s}}, err
}

func (e *evaluator) joined(x *ast.BinaryExpr, s scope) ([]text, error) {
	if x.Op != token.ADD {
		return nil, fmt.Errorf("%s cannot be followed", x.Op)
	}
	left, err := e.eval(x.X, s)
	if err != nil {
		return nil, err
	}
	right, err := e.eval(x.Y, s)
	if err != nil {
		return nil, err
	}
	var out []text
	for _, l := range left {
		for _, r := range right {
			out = append(out, text{text: l.text + r.text})
		}
	}
	return bounded(out)
}

func bounded(out []text) ([]text, error) {
	if len(out) > maxTexts {
		return nil, errTooMany
	}
	return out, nil
}

// named follows a name: a local variable, a parameter, or a value of the room.
func (e *evaluator) named(x *ast.Ident, s scope) ([]text, error) {
	if bound, ok := s.bound[x.Name]; ok {
		return bound, nil
	}
	if s.fn != nil {
		if sample, ok := e.samples[s.room.name+"."+s.fn.Name.Name+"."+x.Name]; ok {
			return []text{{text: sample}}, nil
		}
		if at := parameter(s.fn, x.Name); at >= 0 {
			return e.passed(s, at, x.Name)
		}
		if found, out, err := e.assigned(x.Name, s); found {
			return out, err
		}
	}
	v, ok := s.room.values[x.Name]
	if !ok {
		return nil, fmt.Errorf("%s is not a constant of the room", x.Name)
	}
	out, err := e.eval(v.init, scope{room: s.room, file: v.file})
	for i := range out {
		out[i].name = x.Name
	}
	return out, err
}

// assigned gives what a local variable is set to, anywhere in the function.
func (e *evaluator) assigned(name string, s scope) (found bool, out []text, err error) {
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		var values []text
		var failed error
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); !ok || id.Name != name {
					continue
				}
				found = true
				if len(n.Rhs) != len(n.Lhs) {
					failed = fmt.Errorf("%s comes out of a call with several results", name)
				} else {
					values, failed = e.eval(n.Rhs[i], s)
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == name && i < len(n.Values) {
					found = true
					values, failed = e.eval(n.Values[i], s)
				} else if id.Name == name {
					found = true
				}
			}
		case *ast.RangeStmt:
			if id, ok := n.Value.(*ast.Ident); ok && id.Name == name {
				found = true
				values, failed = e.elements(n.X, s)
			}
		}
		if err == nil {
			err = failed
		}
		out = append(out, values...)
		return true
	})
	if found && err == nil && len(out) == 0 {
		err = fmt.Errorf("%s is never set to a text that can be followed", name)
	}
	return found, out, err
}

// passed gives what a parameter is at the calls of its function in the room.
func (e *evaluator) passed(s scope, at int, name string) ([]text, error) {
	var out []text
	var err error
	for _, file := range s.room.files {
		for _, d := range file.Decls {
			caller, ok := d.(*ast.FuncDecl)
			if !ok || caller.Body == nil {
				continue
			}
			ast.Inspect(caller.Body, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok || calledName(c) != s.fn.Name.Name || at >= len(c.Args) || err != nil {
					return true
				}
				var values []text
				values, err = e.eval(c.Args[at], scope{room: s.room, file: file, fn: caller})
				out = append(out, values...)
				return true
			})
		}
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s is a parameter, and no call in the room says what it is", name)
	}
	if err != nil {
		return nil, err
	}
	return bounded(out)
}

func calledName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// parameter gives the place of a function's parameter, -1 when it has none of this name.
func parameter(fn *ast.FuncDecl, name string) int {
	at := 0
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			if id.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}

// selected follows another room's value, or a field of what a loop runs over.
func (e *evaluator) selected(x *ast.SelectorExpr, s scope) ([]text, error) {
	id, ok := x.X.(*ast.Ident)
	if !ok {
		return nil, fmt.Errorf("the field %s cannot be followed", x.Sel.Name)
	}
	if r := e.rooms.imported(s, id.Name); r != nil {
		return e.named(x.Sel, scope{room: r})
	}
	if s.fn != nil {
		var over ast.Expr
		ast.Inspect(s.fn.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok {
				if v, ok := r.Value.(*ast.Ident); ok && v.Name == id.Name {
					over = r.X
				}
			}
			return true
		})
		if over != nil {
			return e.fields(over, x.Sel.Name, s)
		}
	}
	return nil, fmt.Errorf("%s.%s cannot be followed", id.Name, x.Sel.Name)
}

func (rs *rooms) imported(s scope, name string) *room {
	full := s.room.imports[s.file][name]
	if !strings.HasPrefix(full, module) {
		return nil
	}
	return rs.byID[strings.TrimPrefix(full, module)]
}
