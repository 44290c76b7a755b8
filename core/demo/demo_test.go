package demo_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/demo"
)

func TestEveryRecaptureMeetsItsFirstSelf(t *testing.T) {
	t.Parallel()
	steps := demo.Steps()
	notes, recaptures := steps[1].FS, steps[3].FS
	again, err := fs.Glob(recaptures, "*.md")
	require.NoError(t, err)
	require.NotEmpty(t, again)
	for _, name := range again {
		first, err := fs.ReadFile(notes, name)
		require.NoError(t, err, "%s was never captured before", name)
		second, err := fs.ReadFile(recaptures, name)
		require.NoError(t, err)
		require.NotEqual(t, string(first), string(second))
	}
}

func TestEveryFileHasATitleAndACategory(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for i, step := range demo.Steps() {
		files, err := fs.Glob(step.FS, "*.md")
		require.NoError(t, err)
		require.NotEmpty(t, files, step.Name)
		for _, name := range files {
			text, err := fs.ReadFile(step.FS, name)
			require.NoError(t, err)
			require.Contains(t, string(text), "\ncategory: ", path.Join(step.Name, name))
			_, after, found := strings.Cut(string(text), "\ntitle: ")
			require.True(t, found, path.Join(step.Name, name))
			title, _, _ := strings.Cut(after, "\n")
			if i < len(demo.Steps())-1 { // a recapture carries its first self's title
				require.NotContains(t, titles, title)
				titles[title] = name
			}
		}
	}
}
