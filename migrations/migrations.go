// Package migrations embeds the numbered SQL that builds the database. Each file is one tern migration: the part above the
// divider goes up, the part below comes back down.
package migrations

import "embed"

// FS holds the migrations, 001 first, with no gaps.
//
//go:embed *.sql
var FS embed.FS
