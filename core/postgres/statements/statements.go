// Package statements reads the source of the rooms and finds every text that they can send to the database, so that tests
// can ask something of all of them: that each can be prepared, that each read of articles carries the predicates. It
// follows constants, variables, concatenation, fmt.Sprintf, small functions and the values that a parameter takes at the
// calls; what it cannot follow it reports, for then a query may be built from input.
package statements

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Statement is one text that a room can send to the database.
type Statement struct {
	Room string // the folder below core, such as articles or postgres/embedded
	Name string // of the constant or variable that holds the text, or of the function that puts it together
	At   string // file and line of the call that sends it
	SQL  string // as written: named arguments are @names
}

// ID names a statement in a test's registry: "room.name".
func (s Statement) ID() string { return s.Room + "." + s.Name }

// Options of Find.
type Options struct {
	// Samples gives a text to go on with for a function ("room.name") or a local variable ("room.function.name") whose value
	// depends on input and is quoted so that it can do no harm.
	Samples map[string]string
	// Skip names folders below core that are not read, such as those of test helpers.
	Skip []string
}

// Source is what Find read.
type Source struct {
	Statements []Statement
	Unseen     []string // calls whose text cannot be followed, and SQL that no call sends, each with its place and the reason
}

// Find reads the rooms below the folder core. The error says that the source cannot be read at all.
func Find(core string, o Options) (Source, error) {
	rooms, err := load(core, o.Skip)
	if err != nil {
		return Source{}, err
	}
	var out Source
	seen := map[Statement]bool{}
	e := &evaluator{rooms: rooms, samples: o.Samples, used: map[token.Pos]bool{}}
	for _, r := range rooms.all {
		for _, c := range r.calls() {
			values, err := e.eval(c.text, scope{room: r, file: c.file, fn: c.fn})
			if err != nil {
				out.Unseen = append(out.Unseen, fmt.Sprintf("%s: %v", rooms.at(c.text), err))
				continue
			}
			for _, v := range values {
				s := Statement{Room: r.name, Name: cmp.Or(v.name, c.fn.Name.Name), At: rooms.at(c.text), SQL: v.text}
				if !seen[s] {
					seen[s] = true
					out.Statements = append(out.Statements, s)
				}
			}
		}
	}
	out.Unseen = append(out.Unseen, rooms.unsent(e.used)...)
	slices.Sort(out.Unseen)
	return out, nil
}

// call is a place where a text goes to the database.
type call struct {
	file *ast.File
	fn   *ast.FuncDecl
	text ast.Expr
}

// where says which argument of a method of pgx is the statement, by the method's name.
var where = map[string]int{"Exec": 1, "Query": 1, "QueryRow": 1, "Prepare": 2, "Queue": 0}

// calls gives the calls of pgx's methods in a room. They are told by name and by the number of arguments: a method of the
// room's own with one of these names counts too, unless its place for the statement is missing.
func (r *room) calls() []call {
	var out []call
	for _, file := range r.files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				method, ok := c.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if at, sends := where[method.Sel.Name]; sends && len(c.Args) > at && !r.exports(method) {
					out = append(out, call{file, fn, c.Args[at]})
				}
				return true
			})
		}
	}
	return out
}

// exports says whether a selector is another package's function, as in postgres.Prepare, and not a method.
func (r *room) exports(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	if !ok || x.Obj != nil {
		return false
	}
	for _, imports := range r.imports {
		if _, found := imports[x.Name]; found {
			return true
		}
	}
	return false
}

var looksLikeSQL = regexp.MustCompile(`(?i)^\s*(select\s|insert into\s|update \w+ set\s|delete from\s|with \w+ as\s)`)

// unsent finds SQL in string literals that no call was seen to send.
func (rs *rooms) unsent(used map[token.Pos]bool) []string {
	var out []string
	for _, r := range rs.all {
		for _, file := range r.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !used[lit.Pos()] && looksLikeSQL.MatchString(strings.Trim(lit.Value, "`\"")) {
					out = append(out, rs.at(lit)+": this SQL is sent by no call that can be followed")
				}
				return true
			})
		}
	}
	return out
}
