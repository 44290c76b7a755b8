package statements

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// called follows a call: the few library functions that put texts together, samples, and the rooms' own small functions.
func (e *evaluator) called(x *ast.CallExpr, s scope) ([]text, error) {
	switch f := x.Fun.(type) {
	case *ast.Ident:
		return e.function(s.room, f.Name, x, s)
	case *ast.SelectorExpr:
		id, ok := f.X.(*ast.Ident)
		switch {
		case !ok:
		case id.Name == "fmt" && f.Sel.Name == "Sprintf":
			return e.formatted(x, s)
		case id.Name == "strings" && f.Sel.Name == "ReplaceAll":
			return e.replaced(x, s)
		default:
			if r := e.rooms.imported(s, id.Name); r != nil {
				return e.function(r, f.Sel.Name, x, s)
			}
		}
		return nil, fmt.Errorf("the result of %s cannot be followed", f.Sel.Name)
	}
	return nil, fmt.Errorf("a call of a %T cannot be followed", x.Fun)
}

// function follows a room's function to what it returns.
func (e *evaluator) function(r *room, name string, x *ast.CallExpr, s scope) ([]text, error) {
	if sample, ok := e.samples[r.name+"."+name]; ok {
		return []text{{text: sample}}, nil
	}
	if len(r.funcs[name]) != 1 || r.funcs[name][0].Body == nil {
		return nil, fmt.Errorf("%s is not one function of the room %s", name, r.name)
	}
	fn := r.funcs[name][0]
	inner := scope{room: r, file: r.fileOf[fn], fn: fn, bound: map[string][]text{}}
	at := 0
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			if at < len(x.Args) {
				if values, err := e.eval(x.Args[at], s); err == nil {
					inner.bound[id.Name] = values
				}
			}
			at++
		}
	}
	var out []text
	var err error
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, nested := n.(*ast.FuncLit); nested {
			return false
		}
		back, ok := n.(*ast.ReturnStmt)
		if !ok || err != nil {
			return true
		}
		if len(back.Results) != 1 {
			err = fmt.Errorf("%s does not return one text", name)
			return false
		}
		var values []text
		values, err = e.eval(back.Results[0], inner)
		out = append(out, values...)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("in %s.%s: %w", r.name, name, err)
	}
	return bounded(unnamed(out))
}

// formatted follows fmt.Sprintf. A number may be unknown, a text may not.
func (e *evaluator) formatted(x *ast.CallExpr, s scope) ([]text, error) {
	formats, err := e.eval(x.Args[0], s)
	if err != nil {
		return nil, err
	}
	combined := [][]any{nil}
	for i, arg := range x.Args[1:] {
		values, err := e.eval(arg, s)
		if err != nil {
			if !numbered(formats, i+1) {
				return nil, err
			}
			values = []text{{text: sampleNumber}}
		}
		var next [][]any
		for _, had := range combined {
			for _, v := range values {
				next = append(next, append(slices.Clip(had), v.text))
			}
		}
		if combined = next; len(combined) > maxTexts {
			return nil, errTooMany
		}
	}
	var out []text
	for _, f := range formats {
		asText := verb.ReplaceAllString(f.text, "%${1}s") // numbers are texts here
		for _, args := range combined {
			out = append(out, text{text: fmt.Sprintf(asText, args...)})
		}
	}
	return bounded(out)
}

// verb is a place in a format: which argument it takes, when it says so, and as what.
var verb = regexp.MustCompile(`%(\[\d+\])?([a-z])`)

// numbered says whether a format takes its n-th argument as a number everywhere.
func numbered(formats []text, n int) bool {
	for _, f := range formats {
		at := 0
		for _, m := range verb.FindAllStringSubmatch(f.text, -1) {
			at++
			if m[1] != "" {
				at, _ = strconv.Atoi(strings.Trim(m[1], "[]"))
			}
			if at == n && m[2] != "d" {
				return false
			}
		}
	}
	return true
}

func (e *evaluator) replaced(x *ast.CallExpr, s scope) ([]text, error) {
	var parts [3][]text
	for i := range parts {
		values, err := e.eval(x.Args[i], s)
		if err != nil {
			return nil, err
		}
		parts[i] = values
	}
	var out []text
	for _, in := range parts[0] {
		for _, from := range parts[1] {
			for _, to := range parts[2] {
				out = append(out, text{text: strings.ReplaceAll(in.text, from.text, to.text)})
			}
		}
	}
	return bounded(out)
}

// composite follows a name to the list or map that it is.
func (e *evaluator) composite(x ast.Expr, s scope) (*ast.CompositeLit, scope, error) {
	switch x := x.(type) {
	case *ast.CompositeLit:
		return x, s, nil
	case *ast.Ident:
		if v, ok := s.room.values[x.Name]; ok {
			return e.composite(v.init, scope{room: s.room, file: v.file})
		}
	}
	return nil, s, fmt.Errorf("the elements of a %T cannot be followed", x)
}

// elements gives what an element of a list or map can be.
func (e *evaluator) elements(x ast.Expr, s scope) ([]text, error) {
	list, s, err := e.composite(x, s)
	if err != nil {
		return nil, err
	}
	var out []text
	for _, el := range list.Elts {
		if pair, ok := el.(*ast.KeyValueExpr); ok {
			el = pair.Value
		}
		values, err := e.eval(el, s)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return bounded(out)
}

// fields gives what one field is in the elements of a list of structs.
func (e *evaluator) fields(x ast.Expr, field string, s scope) ([]text, error) {
	list, s, err := e.composite(x, s)
	if err != nil {
		return nil, err
	}
	at := -1
	if slice, ok := list.Type.(*ast.ArrayType); ok {
		if kind, ok := slice.Elt.(*ast.StructType); ok {
			at = parameter(&ast.FuncDecl{Type: &ast.FuncType{Params: kind.Fields}}, field)
		}
	}
	var out []text
	for _, el := range list.Elts {
		var chosen ast.Expr
		if one, ok := el.(*ast.CompositeLit); ok {
			for i, part := range one.Elts {
				if pair, ok := part.(*ast.KeyValueExpr); ok {
					if key, ok := pair.Key.(*ast.Ident); ok && key.Name == field {
						chosen = pair.Value
					}
				} else if i == at {
					chosen = part
				}
			}
		}
		if chosen == nil {
			return nil, fmt.Errorf("the field %s of a list's element cannot be followed", field)
		}
		values, err := e.eval(chosen, s)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return bounded(out)
}
