// Package bundle reads a folder of knowledge: plain markdown (with front matter or without, Obsidian vaults among them)
// and OKF bundles, versions 0.1 and 0.2. It is pure reading: it knows no database.
//
// A file is either a document, or an error of its own, or left out for a reason that is told: one bad file never stops
// the rest, and nothing is dropped in silence. Nothing outside the folder is ever read.
package bundle

import "wiki/core/wiki"

// Format is how a folder is read.
type Format string

// Formats.
const (
	FormatAuto     Format = ""         // OKF when the folder looks like it, else markdown
	FormatMarkdown Format = "markdown" // every page is a note
	FormatOKF      Format = "okf"      // index.md and log.md are reserved, front matter has a type
)

// Document is one file as an article to propose.
type Document struct {
	Path     string // relative to the folder, with slashes, as the file system spells it
	Title    string
	Body     string
	Category wiki.Category
	Tags     []string       // fit for a machine path; the originals are in Metadata
	Metadata map[string]any // the front matter, and what was read out of it
	Aliases  []string       // other names that links may use
	Links    []Link         // to other pages of the folder, in the order of the text
	FileHash string         // SHA-256, in hex, of the text: line ends, a byte order mark and composition don't change it
	Warnings []Warning      // what was read otherwise than it was probably meant
}

// Link is a reference from one page to another.
type Link struct {
	Target string // as written: a path, or the name in a [[wikilink]]
	Wiki   bool   // written as a [[wikilink]]
}

// Warning tells of something in a file that was read in another way than it was probably meant. Nothing was lost.
type Warning struct {
	Line    int    `json:"line,omitempty"`  // from 1; 0 = the whole file
	Field   string `json:"field,omitempty"` // of the front matter
	Message string `json:"message"`
}

// Bounds of one file.
const (
	maxFileBytes   = wiki.MaxBodyBytes + maxHeaderBytes + 64<<10 // more than any file that could be imported
	maxHeaderBytes = 64 << 10                                    // of front matter
)

// Keys of a document's metadata.
const (
	MetaSourcePath  = "source_path"  // where the document came from
	MetaOKF         = "okf"          // the front matter of an OKF concept, whole: it goes out again as it came in
	MetaFrontMatter = "front_matter" // the front matter of a note, whole
	MetaAdvisory    = "advisory"     // what an OKF concept says of itself: verified, deprecated, stale
	MetaUnread      = "unread_front_matter"
)
