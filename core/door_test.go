package core_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// The guard of heavy reads (SPEC §6, seed, invariant 3): whatever compares vectors, looks words up or goes through articles
// by a filter does so inside postgres.DB.HeavyRead, with its own connections, its time limit and its bound for each tenant.

// heavy tells such a statement from those that read what is named by id, or a page of something else.
func heavy(sql string) bool {
	return comparing.MatchString(sql) || ofArticles.MatchString(sql) && through.MatchString(sql)
}

var (
	comparing = regexp.MustCompile(`<=>|\b(from|join) (keyword_blocks|keyword_fresh|access_events)\b`)
	through   = regexp.MustCompile(`@(filter_)?category\b|\bcount\(\*\)|\bgroup by\b`)
)

// light are the statements that look heavy and are not, or are no request's, by their room and name, with the reason.
var light = map[string]string{
	"vectors.betweenSQL":      "measures one article's flagged pairs, which are few, as they are flagged",
	"conflicts.oneSQL":        "one pair, named",
	"conflicts.Queue":         "a page of flagged pairs: what agents read at the same time must not keep curators from their queue",
	"conflicts.countSQL":      "as the queue, which it counts",
	"conflicts.ageingSQL":     "as the queue, which it counts",
	"proposals.curatedSQL":    "what one frozen set would cost, whose size is bounded",
	"proposals.linkCountSQL":  "what one frozen set would cost",
	"proposals.pageImpactSQL": "what the frozen sets of a page would cost",
	"keyword.dueSQL":          "upkeep, apart from requests",
	"keyword.pack":            "upkeep",
	"keyword.merge":           "upkeep",
	"keyword.read":            "upkeep",
}

const (
	doorType = "*wiki/core/postgres.DB"
	door     = "HeavyRead"
	txType   = "wiki/core/postgres.Tx"
)

// house is the source below core, with what each function does outside the door.
type house struct {
	files *token.FileSet
	lines map[string]string      // heavy statements by the place that sends them
	found map[string]bool        // the places that were come upon
	does  map[*types.Func]*deeds // by the function that does it
	doors int                    // calls of HeavyRead
}

type deeds struct {
	sends []string      // heavy statements
	calls []*types.Func // functions of the house, or mentions of them
	takes bool          // a transaction: what it reads, it reads in its caller's
}

// readHouse reads what the functions below core do.
func readHouse(t *testing.T) *house {
	t.Helper()
	h := &house{lines: map[string]string{}, found: map[string]bool{}, does: map[*types.Func]*deeds{}}
	stale := maps.Clone(light)
	for _, s := range readSource(t) {
		_, exempt := light[s.ID()]
		switch {
		case heavy(s.SQL) && !exempt:
			h.lines[s.At] = s.ID()
		case heavy(s.SQL):
			delete(stale, s.ID())
		}
	}
	require.Empty(t, slices.Collect(maps.Keys(stale)), "exemptions that nothing needs")
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	all, err := packages.Load(&packages.Config{Mode: mode, Context: t.Context()}, "./...")
	require.NoError(t, err)
	for _, p := range all {
		require.Empty(t, p.Errors)
		h.files = p.Fset
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					h.read(root, p.TypesInfo, fn)
				}
			}
		}
	}
	return h
}

// read notes what a function does, except in what it hands to the door.
func (h *house) read(root string, info *types.Info, fn *ast.FuncDecl) {
	self := info.Defs[fn.Name].(*types.Func)
	d := &deeds{}
	h.does[self] = d
	for v := range self.Signature().Params().Variables() {
		d.takes = d.takes || v.Type().String() == txType
	}
	inside := token.NoPos // the end of what the door is handed
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == door && info.TypeOf(s.X).String() == doorType {
				h.doors++
				inside = n.End()
			}
		case *ast.Ident:
			if used, ok := info.Uses[n].(*types.Func); ok && n.Pos() >= inside {
				d.calls = append(d.calls, used.Origin())
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if id := h.sent(root, e); id != "" && e.Pos() >= inside {
				d.sends = append(d.sends, id)
			}
		}
		return true
	})
}

// sent gives the heavy statement that an expression hands to the database, if it does.
func (h *house) sent(root string, e ast.Expr) string {
	at := h.files.Position(e.Pos())
	rel, err := filepath.Rel(root, at.Filename)
	if err != nil {
		return ""
	}
	place := fmt.Sprintf("%s:%d", filepath.ToSlash(rel), at.Line)
	if h.lines[place] != "" {
		h.found[place] = true
	}
	return h.lines[place]
}

// reached gives a heavy statement that a function comes to outside the door, with the way there; empty when there is none.
func (h *house) reached(fn *types.Func, seen map[*types.Func]bool) string {
	d := h.does[fn]
	if d == nil || seen[fn] {
		return ""
	}
	seen[fn] = true
	if len(d.sends) > 0 {
		return d.sends[0]
	}
	for _, next := range d.calls {
		if way := h.reached(next, seen); way != "" {
			return next.FullName() + " -> " + way
		}
	}
	return ""
}

func TestHeavyReadsGoThroughOneDoor(t *testing.T) {
	t.Parallel()
	h := readHouse(t)
	require.NotZero(t, h.doors)
	for fn, d := range h.does {
		if !d.takes {
			require.Empty(t, h.reached(fn, map[*types.Func]bool{}), "%s (%s) reads this outside postgres.DB.HeavyRead", fn.FullName(), h.files.Position(fn.Pos()))
		}
	}
	for at, id := range h.lines {
		require.True(t, h.found[at], "%s is sent at %s, in no function that was read", id, at)
	}
}
