package search_test

import (
	"strings"
	"testing"

	"wiki/tui/action"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
	"wiki/tui/search"
)

// BenchmarkScroll is a key to a frame in the reader of a 500 kB article.
func BenchmarkScroll(b *testing.B) {
	src := filled()
	a := src.articles[id(1)]
	a.Body = ptr(strings.Repeat("Some *emphasis* and **more** with `code`, until the line is over.\n\n- a\n- b\n\n", 6500))
	src.articles[id(1)] = a
	s := search.New(screentest.Env(), src)
	s.SetSize(120, 40)
	read := s.Heard(screen.ReadArticle{ID: id(1).String()})
	s.Heard(s.Heard(read())())
	for b.Loop() {
		s.Do(action.Down)
		s.View()
	}
}
