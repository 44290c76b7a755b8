// Package shareddata finds the real data that tests read. The data is not part of the project: it lies beside the
// checkout, and a test that needs it is skipped, with a message, where it is absent.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Env names the directory that holds the data sets, when it is not ../shared/data of the checkout.
const Env = "WIKI_SHARED_DATA"

// Dir gives the folder of one data set, or skips the test.
func Dir(tb testing.TB, name string) string {
	tb.Helper()
	if root := os.Getenv(Env); root != "" {
		return existing(tb, filepath.Join(root, name))
	}
	wd, err := os.Getwd()
	if err != nil {
		tb.Fatalf("working directory: %v", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, "shared", "data", name)
		if _, err := os.Stat(candidate); err == nil {
			return candidate
		}
		if dir == filepath.Dir(dir) {
			tb.Skipf("the data set %s is not here: put it under ../shared/data beside the checkout, or set %s", name, Env)
		}
	}
}

func existing(tb testing.TB, dir string) string {
	tb.Helper()
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("the data set is not at %s (%s)", dir, Env)
	}
	return dir
}
