package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/shareddata"
	"wiki/core/wiki"
)

func TestWhatIsListed(t *testing.T) {
	t.Parallel()
	s := folder(t, FormatAuto, map[string]string{
		"README.md": "about", "LICENSE.md": "terms", "note.md": "x", "deep/README.md": "x", "deep/Other.MARKDOWN": "x",
		"picture.png": "x", ".git/config.md": "x", "._note.md": "x", "..md": "x", "deep/.obsidian/x.md": "x",
	})
	require.Equal(t, FormatMarkdown, s.Format())
	var pages, skipped []string
	for _, f := range s.Files() {
		require.NoError(t, f.Err)
		if f.Skip == "" {
			pages = append(pages, f.Path)
		} else {
			skipped = append(skipped, f.Path)
		}
	}
	require.Equal(t, []string{"..md", "deep/Other.MARKDOWN", "deep/README.md", "note.md"}, pages)
	require.Equal(t, []string{"LICENSE.md", "README.md"}, skipped)
}

func TestNoSuchFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, dir := range []string{file, file + "/none", "/nowhere/at/all"} {
		_, err := Open(dir, FormatAuto)
		requireInvalid(t, err, "source", "not a folder")
	}
}

func TestNothingOutsideTheFolderIsRead(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "notes")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "secret.md"), []byte("secret"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real.md"), []byte("real"), 0o644))
	require.NoError(t, os.Symlink("../secret.md", filepath.Join(dir, "out.md")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "up")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	require.NoError(t, os.Symlink("real.md", filepath.Join(dir, "in.md")))
	require.NoError(t, os.Symlink("loop.md", filepath.Join(dir, "loop.md")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "caf\xe9.md"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "\xff"), 0o755))
	s := open(t, dir, FormatAuto)
	got := map[string]string{}
	for _, f := range s.Files() {
		switch {
		case f.Err != nil:
			got[f.Path] = "error"
		case f.Skip != "":
			got[f.Path] = "skip"
		default:
			got[f.Path] = "page"
		}
	}
	require.Equal(t, map[string]string{"real.md": "page", "out.md": "error", "up": "error", "etc": "error", "in.md": "skip", "loop.md": "error", "caf\uFFFD.md": "error", "\uFFFD": "error", "pipe.md": "error"}, got)
	for _, p := range []string{"../secret.md", "out.md", "up/secret.md", "/etc/hostname", "sub/../../secret.md", "pipe.md", "in.md", "gone.md", ""} {
		_, err := s.Read(p)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), p)
		require.NotContains(t, err.Error(), "secret\n")
	}
}

func TestBadFileIsItsOwnError(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"latin1.md": "line one\ncaf\xe9", "utf16.md": "\xff\xfea\x00", "nul.md": "a\nb\x00c", "empty.md": " \n", "header only.md": "---\ntitle: x\n---\n",
		"large.md": strings.Repeat("word ", wiki.MaxBodyBytes/5+1), "huge.md": strings.Repeat("x", maxFileBytes+1),
		"fits.md": strings.Repeat("word ", wiki.MaxBodyBytes/5), "header.md": "---\nkey: " + strings.Repeat("x", maxHeaderBytes) + "\n---\nx", "good.md": "good",
	}
	s := folder(t, FormatMarkdown, files)
	require.Len(t, s.Files(), len(files))
	for p, want := range map[string][2]string{
		"latin1.md": {"body", "line 2 is not valid UTF-8"}, "utf16.md": {"body", "UTF-16"}, "nul.md": {"body", "line 2 holds a NUL"}, "empty.md": {"body", "required"},
		"header only.md": {"body", "required"}, "large.md": {"body", "at most 500000"}, "huge.md": {"body", "at most 500000"}, "header.md": {"front_matter", "at most"},
	} {
		doc, err := s.Read(p)
		requireInvalid(t, err, want[0], want[1])
		require.Equal(t, p, doc.Path)
	}
	for _, p := range []string{"good.md", "fits.md"} {
		_, err := s.Read(p)
		require.NoError(t, err)
	}
}

func TestOKFConcept(t *testing.T) {
	t.Parallel()
	s := folder(t, FormatAuto, map[string]string{
		"index.md": "---\nokf_version: \"0.2\"\n---\n# All\n", "log.md": "# Log\n\n## 2026-01-02\n", "sub/index.md": "# Sub\n",
		"sub/a.md": "---\ntype: Policy\ntitle: Rule one\ntags: [x y]\nverified: {by: 'human:ann', at: 2026-01-01T00:00:00Z}\nstatus: deprecated\nstale_after: 2027-01-01T00:00:00Z\nmine: {deep: [1]}\n---\nText, see [b](/sub/b.md).\n",
		"sub/b.md": "---\ntype: Unheard Of\nverified:\n- {by: nightly/1}\n---\n# B\n\nText\n",
		"sub/c.md": "---\ntitle: No type\n---\nText\n",
	})
	require.Equal(t, FormatOKF, s.Format())
	var pages []string
	for _, f := range s.Files() {
		if f.Skip == "" {
			pages = append(pages, f.Path)
		}
	}
	require.Equal(t, []string{"sub/a.md", "sub/b.md", "sub/c.md"}, pages)

	a, err := s.Read("sub/a.md")
	require.NoError(t, err)
	require.Equal(t, wiki.Category("decision"), a.Category)
	require.Equal(t, []string{"x-y"}, a.Tags)
	require.Equal(t, map[string]any{"trust": "human-reviewed", "verified_by": []any{"human:ann"}, "deprecated": true, "stale_after": "2027-01-01T00:00:00Z"}, a.Metadata[MetaAdvisory])
	okf := a.Metadata[MetaOKF].(map[string]any)
	require.Equal(t, map[string]any{"deep": []any{uint64(1)}}, okf["mine"])
	require.Equal(t, []any{"x y"}, okf["tags"])
	require.Equal(t, []Link{{Target: "/sub/b.md"}}, a.Links)

	b, err := s.Read("sub/b.md")
	require.NoError(t, err)
	require.Equal(t, wiki.Category("reference"), b.Category)
	require.Equal(t, "B", b.Title)
	require.Equal(t, map[string]any{"trust": "machine-confirmed", "verified_by": []any{"nightly/1"}}, b.Metadata[MetaAdvisory])

	c, err := s.Read("sub/c.md")
	require.NoError(t, err)
	require.Len(t, c.Warnings, 1)
	report := s.Conformance()
	require.Equal(t, "0.2", report.Version)
	require.Equal(t, []Fault{{"sub/c.md", "its front matter has no type"}}, report.Faults)
}

func TestConformanceOfReservedFiles(t *testing.T) {
	t.Parallel()
	s := folder(t, FormatOKF, map[string]string{
		"index.md": "---\nokf_version: \"9.9\"\ntitle: x\n---\n", "sub/index.md": "---\ntype: x\n---\n", "log.md": "## Yesterday\n", "a.md": "no header", "b.md": "---\ntype: a: b\n---\nx",
	})
	var paths []string
	for _, f := range s.Conformance().Faults {
		paths = append(paths, f.Path)
	}
	require.Equal(t, []string{"a.md", "b.md", "index.md", "log.md", "sub/index.md"}, paths)
}

// readAll reads every page of a data set.
func readAll(t *testing.T, s *Source) (docs []Document, skipped int) {
	t.Helper()
	for _, f := range s.Files() {
		require.NoError(t, f.Err, f.Path)
		if f.Skip != "" {
			skipped++
			continue
		}
		doc, err := s.Read(f.Path)
		require.NoError(t, err, f.Path)
		docs = append(docs, doc)
	}
	return docs, skipped
}

func TestRealFolders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format                                 Format
		pages, skipped, sharing, links, broken int
	}{
		"til-simonw":                 {FormatMarkdown, 541, 1, 0, 0, 0},
		"tldr-en":                    {FormatMarkdown, 7401, 1, 145, 0, 0},
		"okf-bundles/acme_retail":    {FormatOKF, 9, 8, 0, 15, 0},
		"okf-bundles/crypto_bitcoin": {FormatOKF, 9, 6, 0, 25, 0},
		"okf-bundles/ga4":            {FormatOKF, 9, 5, 0, 9, 0},
		"okf-bundles/stackoverflow":  {FormatOKF, 26, 6, 0, 61, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, shareddata.Dir(t, name), FormatAuto)
			require.Equal(t, c.format, s.Format())
			docs, skipped := readAll(t, s)
			index, links, resolved, warnings := NewIndex(), 0, 0, 0
			titles := map[string]int{}
			for _, d := range docs {
				index.Add(d)
				titles[d.Title]++
			}
			for _, d := range docs {
				warnings += len(d.Warnings)
				for _, l := range d.Links {
					links++
					if _, ok := index.Resolve(d.Path, l); ok {
						resolved++
					}
				}
			}
			shared := 0
			for _, n := range titles {
				if n > 1 {
					shared++
				}
			}
			t.Logf("%d pages, %d left out, %d titles shared, %d links, %d resolved, %d warnings, %d faults", len(docs), skipped, shared, links, resolved, warnings, len(s.Conformance().Faults))
			require.Equal(t, []int{c.pages, c.skipped, c.sharing, c.links}, []int{len(docs), skipped, shared, links})
			require.Equal(t, links, resolved+c.broken)
			require.Zero(t, warnings)
		})
	}
}
