package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"wiki/core/wiki"
)

// File is one entry of a folder that is, or looks like, a page.
type File struct {
	Path string
	Skip string // why it isn't read; empty for a document
	Err  error  // why it can't be read; nil for a document
}

// Source is an open folder. It is safe for use by several goroutines at once.
type Source struct {
	name   string
	at     string
	format Format
	root   *os.Root
	files  []File
}

// Open lists a folder and finds out how to read it. The error is CodeInvalid on "source" when there is no such folder.
func Open(dir string, format Format) (*Source, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, sourceError(dir, err)
	}
	if absolute, err = filepath.EvalSymlinks(absolute); err != nil {
		return nil, sourceError(dir, err)
	}
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		return nil, sourceError(dir, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, sourceError(dir, err)
	}
	s := &Source{name: filepath.Base(absolute), at: absolute, format: format, root: root}
	if err := s.list(); err != nil {
		return nil, errors.Join(sourceError(dir, err), root.Close())
	}
	if s.format == FormatAuto {
		s.format = s.detect()
	}
	s.leaveOut()
	return s, nil
}

func sourceError(dir string, cause error) error {
	e := wiki.Invalid("source", "%q is not a folder that can be read", dir)
	e.Remedy = "name a folder of markdown files or an OKF bundle"
	e.Err = cause
	return e
}

// Close releases the folder.
func (s *Source) Close() error { return s.root.Close() }

// Name is the folder's own name.
func (s *Source) Name() string { return s.name }

// Location is the folder's absolute path, the same by whatever way it was named.
func (s *Source) Location() string { return s.at }

// Format is how the folder is read: never FormatAuto.
func (s *Source) Format() Format { return s.format }

// Files lists the pages, sorted by path, with those that are left out and those that can't be read.
func (s *Source) Files() []File { return slices.Clone(s.files) }

// list walks the tree. Hidden folders (.git, .obsidian, .trash) belong to tools, and so do the "._" files that macOS
// leaves beside others; files that aren't pages are left alone.
func (s *Source) list() error {
	err := fs.WalkDir(s.root.FS(), ".", func(p string, entry fs.DirEntry, err error) error {
		name := path.Base(p)
		switch {
		case err != nil && p == ".":
			return err
		case !utf8.ValidString(p):
			s.files = append(s.files, File{Path: strings.ToValidUTF8(p, "\uFFFD"), Err: wiki.Invalid("path", "its name is not valid UTF-8; rename it")})
			if entry.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			s.files = append(s.files, File{Path: p, Err: unreadable(err)})
			return fs.SkipDir
		case entry.IsDir() && p != "." && strings.HasPrefix(name, "."):
			return fs.SkipDir
		case entry.IsDir() || strings.HasPrefix(name, "._"):
		case entry.Type()&fs.ModeSymlink != 0:
			s.addSymlink(p)
		case !isPage(p):
		case !entry.Type().IsRegular():
			s.files = append(s.files, File{Path: p, Err: wiki.Invalid("path", "it is not a plain file")})
		default:
			s.files = append(s.files, File{Path: p})
		}
		return nil
	})
	slices.SortFunc(s.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return err
}

// addSymlink decides about a symbolic link, which is never followed: what it leads to inside the folder is read where
// it lies, and what lies outside is not the folder's.
func (s *Source) addSymlink(p string) {
	info, err := s.root.Stat(p) // refuses to leave the folder
	switch {
	case err == nil && (info.IsDir() || isPage(p)):
		s.files = append(s.files, File{Path: p, Skip: "a symbolic link to another place in the folder, which is read there"})
	case err == nil || !(isPage(p) || path.Ext(p) == ""):
	default:
		s.files = append(s.files, File{Path: p, Err: wiki.Invalid("path", "it is a symbolic link that leads out of the folder or nowhere; links are not followed")})
	}
}

func isPage(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return ext == ".md" || ext == ".markdown"
}

// aboutFolder are pages at the top of a folder that speak of the folder, not of its subject. Deeper down, such a name is
// a page like any other.
var aboutFolder = []string{"readme", "license", "licence", "copying", "contributing", "changelog", "code_of_conduct", "security", "notice"}

// reserved are the names that OKF keeps for listings and histories, in every folder (OKF §3.1).
var reserved = []string{"index.md", "log.md"}

func (s *Source) leaveOut() {
	for i, f := range s.files {
		name := strings.ToLower(path.Base(f.Path))
		switch {
		case f.Skip != "" || f.Err != nil:
		case s.format == FormatOKF && slices.Contains(reserved, path.Base(f.Path)):
			s.files[i].Skip = "reserved by OKF for listings and histories"
		case path.Dir(f.Path) == "." && slices.Contains(aboutFolder, strings.TrimSuffix(name, path.Ext(name))):
			s.files[i].Skip = "about the folder, not a page of it"
		}
	}
}

// readBytes reads a file within the folder, at most maxFileBytes.
func (s *Source) readBytes(p string) ([]byte, error) {
	if !fs.ValidPath(p) {
		return nil, wiki.Invalid("path", "%q is not a path inside the folder", p)
	}
	info, err := s.root.Lstat(p)
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() { // before opening: opening a pipe would wait for its other end
		return nil, wiki.Invalid("path", "it is not a plain file")
	}
	f, err := s.root.Open(p)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(raw) > maxFileBytes {
		e := wiki.Invalid("body", "the file has %d bytes; a body may have at most %d", info.Size(), wiki.MaxBodyBytes)
		e.Remedy = "split it into several files"
		return nil, e
	}
	return raw, nil
}

func unreadable(cause error) error {
	why := "it can't be read"
	if errors.Is(cause, fs.ErrPermission) {
		why = "it can't be read: permission denied"
	} else if errors.Is(cause, fs.ErrNotExist) {
		why = "it is gone"
	}
	return &wiki.Error{Code: wiki.CodeInvalid, Field: "path", Message: why, Err: fmt.Errorf("bundle: %w", cause)}
}
