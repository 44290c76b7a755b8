// Package demo holds the content that a first run loads: the manual as articles, and the notes of an invented team, with
// near-duplicates, contradictions and drift that are worth judging.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed content
var content embed.FS

// Source is the name under which all steps are imported, so that a capture that is sent again meets its first self.
const Source = "demo"

// Step is one import, in order. Paths below FS name the captures.
type Step struct {
	Name  string // for the progress line
	FS    fs.FS
	Force bool // the writer insisted: the gate is skipped, and the pages stand published beside what they contradict
}

// Steps gives the imports that make the demo.
func Steps() []Step {
	return []Step{
		{Name: "the manual", FS: sub("content/manual")},
		{Name: "the team's notes", FS: sub("content/notes")},
		{Name: "notes that a writer insisted on", FS: sub("content/forced/notes"), Force: true},
		{Name: "captures that were sent again", FS: sub("content/recapture/notes")},
	}
}

// sub narrows the embedded files to one folder; the folders are fixed at build time, so it cannot fail.
func sub(dir string) fs.FS {
	tree, err := fs.Sub(content, dir)
	if err != nil {
		panic(err)
	}
	return tree
}
