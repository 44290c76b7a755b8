package api

import "embed"

// Source is this package's own source: the API's description takes its words from the comments.
//
//go:embed *.go
var Source embed.FS
