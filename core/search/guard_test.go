package search_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// howItGotIn names what ranking must never read: the source of a document, the tags and the batch it was captured with, who
// sent it (seed, "Ranking must never key on HOW a document got in"). The eval cannot catch a return of these, so the source is read.
var howItGotIn = regexp.MustCompile(`(?i)source_?type|source_?id|created_?by|capture|sourcer|import_run|\bidem-|"(book|url|yt|doc)-`)

func TestRankingNeverReadsHowADocumentGotIn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range []string{"fusion.go", "priors.go", "provenance.go", "diversity.go"} {
		files = append(files, filepath.Join("..", "wiki", name))
	}
	for _, more := range []string{"keyword", "vectors"} {
		found, err := filepath.Glob(filepath.Join("..", more, "*.go"))
		require.NoError(t, err)
		files = append(files, found...)
	}
	comment := regexp.MustCompile(`//.*`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, howItGotIn.FindString(comment.ReplaceAllString(string(code), "")), file)
	}
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[wiki.RankingFacts]()) {
		fields = append(fields, f.Name)
	}
	require.Equal(t, []string{"Category", "Tags", "Status", "Hub", "ContentChangedAt", "UpdatedAt", "ReadDays"}, fields,
		"a new ranking input needs a reason in the seed or the SPEC")
}
