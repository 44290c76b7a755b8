package screen

import (
	"errors"

	"wiki/core/wiki"
	"wiki/tui/text"
)

// Explain says an error for people, in one line: what happened and what to do.
func Explain(err error) string {
	var e *wiki.Error
	if !errors.As(err, &e) {
		return text.InertLine(err.Error())
	}
	if e.Remedy == "" {
		return text.InertLine(e.Message)
	}
	return text.InertLine(e.Message + ": " + e.Remedy)
}
