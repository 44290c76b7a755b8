package bundle

import (
	"path"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Index finds the page that a link means. Fill it with every document of the folder first.
type Index struct {
	byPath map[string]string   // folded path -> path
	byName map[string][]string // folded title, alias or file name -> paths
}

// NewIndex makes an empty index.
func NewIndex() *Index { return &Index{byPath: map[string]string{}, byName: map[string][]string{}} }

// fold is the form under which names are compared: one composition, no case (case 74: NFC and NFD names must meet).
func fold(name string) string { return cases.Fold().String(norm.NFC.String(strings.TrimSpace(name))) }

// Add makes a document findable by its path, file name, title and aliases.
func (x *Index) Add(d Document) {
	x.byPath[fold(d.Path)] = d.Path
	seen := map[string]bool{}
	for _, name := range append([]string{stem(d.Path), d.Title}, d.Aliases...) {
		if f := fold(name); f != "" && !seen[f] {
			seen[f] = true
			x.byName[f] = append(x.byName[f], d.Path)
		}
	}
}

// Resolve gives the path of the page that a link on the page from means. A link that leads nowhere, to the page itself,
// or to several pages equally, has none: it is not an error, the page may not be written yet.
func (x *Index) Resolve(from string, l Link) (string, bool) {
	found, ok := x.find(from, l)
	return found, ok && found != from
}

func (x *Index) find(from string, l Link) (string, bool) {
	if !l.Wiki {
		p := path.Join(path.Dir(from), l.Target)
		if strings.HasPrefix(l.Target, "/") { // from the root of the bundle (OKF §6.1)
			p = strings.TrimPrefix(path.Clean(l.Target), "/")
		}
		found, ok := x.byPath[fold(p)]
		return found, ok
	}
	target := strings.TrimPrefix(l.Target, "/")
	for _, p := range []string{path.Join(path.Dir(from), target), target} {
		for _, ext := range []string{"", ".md"} {
			if found, ok := x.byPath[fold(p+ext)]; ok {
				return found, true
			}
		}
	}
	candidates := x.byName[fold(target)]
	if len(candidates) == 1 {
		return candidates[0], true
	}
	return x.bySuffix(target)
}

// bySuffix finds [[folder/page]], which names the end of a path.
func (x *Index) bySuffix(target string) (string, bool) {
	if !strings.Contains(target, "/") {
		return "", false
	}
	suffix := "/" + fold(target) + ".md"
	var found string
	for _, p := range x.byName[fold(path.Base(target))] {
		if strings.HasSuffix("/"+fold(p), suffix) {
			if found != "" {
				return "", false
			}
			found = p
		}
	}
	return found, found != ""
}
