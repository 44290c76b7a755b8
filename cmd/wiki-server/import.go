package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/bundle"
	"wiki/core/ingest"
	"wiki/core/wiki"
)

// importFlags are what an import may be told.
type importFlags struct {
	tenant, format, name string
	publish, verbose     bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import DIR", Short: "Bring a folder of markdown, or an OKF bundle, into a tenant", Args: exactArgs(1),
		Long: "Every file goes through the gate and gets an answer of its own; one bad file never stops the rest. An import that was\n" +
			"stopped goes on where it was when the same command runs again. Files land as drafts unless --publish is given.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFolder(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.tenant, "tenant", defaultTenant, "slug of the tenant")
	cmd.Flags().BoolVar(&f.publish, "publish", false, "publish what is new, instead of leaving drafts")
	cmd.Flags().StringVar(&f.format, "format", "", "markdown or okf; default: what the folder looks like")
	cmd.Flags().StringVar(&f.name, "name", "", "name of the source, for a folder that moves; default its path")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "list every file's answer, not only what wants attention")
	return cmd
}

func (a *app) importFolder(ctx context.Context, dir string, f importFlags) error {
	dir, err := checkContent(dir)
	if err != nil {
		return err
	}
	format := bundle.Format(f.format)
	if format != bundle.FormatAuto && format != bundle.FormatMarkdown && format != bundle.FormatOKF {
		return wiki.Invalid("format", "format must be markdown or okf")
	}
	src, err := bundle.Open(dir, format)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	return a.withCore(ctx, func(ctx context.Context, c *core.Core) error {
		t, err := c.Access.TenantBySlug(ctx, access.Operator(uuid.Nil), f.tenant)
		if err != nil {
			return noTenant(err, f.tenant)
		}
		p := a.newProgress("Importing " + dir)
		report, err := c.Ingest.Run(ctx, access.Operator(t.ID), src, ingest.Options{Publish: f.publish, Name: f.name}, p.show)
		p.end(report, err)
		if a.json {
			return errors.Join(err, a.answer(report))
		}
		a.listFiles(report, f.verbose)
		return err
	})
}

// listFiles prints the answers that want a look, or all of them.
func (a *app) listFiles(r ingest.Report, verbose bool) {
	for _, file := range r.Files {
		wants := file.Outcome == ingest.Failed || file.Outcome == ingest.TitleConflict || file.Drift || len(file.Warnings) > 0
		if !verbose && !wants {
			continue
		}
		line := fmt.Sprintf("%-16s %s", file.Outcome, oneLine(file.Path))
		if file.Message != "" {
			line += ": " + oneLine(file.Message)
		}
		a.say("%s", line)
		for _, w := range file.Warnings {
			a.say("%-16s line %d, %s: %s", "", w.Line, oneLine(w.Field), oneLine(w.Message))
		}
	}
}

// oneLine shows foreign text, such as a file's name, so that it can neither forge a line of the report nor reach the
// terminal as a command.
func oneLine(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}
