// Package text makes foreign text safe and straight for a terminal: inert (nothing in it acts on the screen), measured
// in display columns, wrapped and cut at grapheme borders.
//
// All text that came from a server, a file or a person passes Inert or InertLine once, before it is measured or drawn.
package text
