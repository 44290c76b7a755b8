package statements

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the path that the rooms import each other by.
const module = "wiki/core/"

// rooms are the packages below core.
type rooms struct {
	files *token.FileSet
	root  string
	all   []*room
	byID  map[string]*room // by folder below core
}

// room is one package: its package-level values and functions by name.
type room struct {
	name    string // the folder below core
	files   []*ast.File
	imports map[*ast.File]map[string]string // local name to import path
	values  map[string]value
	funcs   map[string][]*ast.FuncDecl // methods too, by their bare name
	fileOf  map[*ast.FuncDecl]*ast.File
}

// value is a package-level constant or variable with its initialiser.
type value struct {
	file *ast.File
	init ast.Expr
}

func load(core string, skip []string) (*rooms, error) {
	rs := &rooms{files: token.NewFileSet(), root: core, byID: map[string]*room{}}
	err := filepath.WalkDir(core, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(core, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || slices.Contains(skip, path.Join(folder, d.Name()))):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		// Objects are resolved within the file: that is how a local name is told from an imported package.
		parsed, err := parser.ParseFile(rs.files, file, nil, 0)
		if err != nil {
			return err
		}
		rs.room(folder).add(parsed)
		return nil
	})
	return rs, err
}

func (rs *rooms) room(folder string) *room {
	r := rs.byID[folder]
	if r == nil {
		r = &room{
			name: folder, imports: map[*ast.File]map[string]string{}, values: map[string]value{}, funcs: map[string][]*ast.FuncDecl{},
			fileOf: map[*ast.FuncDecl]*ast.File{},
		}
		rs.byID[folder] = r
		rs.all = append(rs.all, r)
	}
	return r
}

func (r *room) add(file *ast.File) {
	r.files = append(r.files, file)
	names := map[string]string{}
	for _, i := range file.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(full)
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = full
	}
	r.imports[file] = names
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.funcs[d.Name.Name] = append(r.funcs[d.Name.Name], d)
			r.fileOf[d] = file
		case *ast.GenDecl:
			for _, s := range d.Specs {
				spec, ok := s.(*ast.ValueSpec)
				for i := 0; ok && i < len(spec.Names) && i < len(spec.Values); i++ {
					r.values[spec.Names[i].Name] = value{file, spec.Values[i]}
				}
			}
		}
	}
}

// at gives a node's place: file, below core, and line.
func (rs *rooms) at(n ast.Node) string {
	p := rs.files.Position(n.Pos())
	if rel, err := filepath.Rel(rs.root, p.Filename); err == nil {
		p.Filename = rel
	}
	return p.Filename + ":" + strconv.Itoa(p.Line)
}
