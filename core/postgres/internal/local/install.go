// Package local knows what a PostgreSQL on this machine needs: where its binaries are, and which user may run it.
package local

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// BinEnv names one directory with PostgreSQL's binaries, to be used instead of all others.
const BinEnv = "WIKI_PG_BIN"

// HomeEnv names the directory for the private PostgreSQL, and by default for the server's data.
const HomeEnv = "WIKI_HOME"

// InstallCommand is what an operator runs when no usable PostgreSQL is found. It's in every message that says so.
const InstallCommand = "core/postgres/embedded/install.sh"

// systemDirs are where Debian and the source distribution put the binaries.
var systemDirs = []string{"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin"}

// Install is one PostgreSQL on this machine.
type Install struct {
	Bin    string // the directory that holds initdb and postgres
	Major  int
	Vector bool // has the pgvector extension
}

func (i Install) String() string {
	vector := "without pgvector"
	if i.Vector {
		vector = "with pgvector"
	}
	return fmt.Sprintf("PostgreSQL %d in %s %s", i.Major, i.Bin, vector)
}

// Command makes a command of one of the install's programs, with the environment that it needs.
func (i Install) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(i.Bin, program), args...)
	cmd.Env = i.Env()
	return cmd
}

// Env is the environment for the install's programs: a locale and a zone that are everywhere, and, for a tree that was
// made without root, the libraries that came with it.
func (i Install) Env() []string {
	env := append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC", "PGTZ=UTC")
	if libs := filepath.Join(i.Bin, "../../../needed"); exists(libs) {
		env = append(env, "LD_LIBRARY_PATH="+libs)
	}
	return env
}

// Home is the directory of the private PostgreSQL and of the server's data: $WIKI_HOME, else /var/lib/wiki for root (whose
// own home no other user may enter, and PostgreSQL must run as another user), else under the user's data directory.
func Home() (string, error) {
	if home := os.Getenv(HomeEnv); home != "" {
		return filepath.Abs(home)
	}
	if os.Getuid() == 0 {
		return "/var/lib/wiki", nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "wiki"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home directory for the wiki (set %s): %w", HomeEnv, err)
	}
	return filepath.Join(home, ".local/share/wiki"), nil
}

// Find lists the installs on this machine, the best first: those with pgvector, the private tree before the system's, the
// newest before older ones. With patterns, which are directories and may hold *, it looks there only.
func Find(patterns ...string) ([]Install, error) {
	if len(patterns) == 0 {
		var err error
		if patterns, err = defaultPatterns(); err != nil {
			return nil, err
		}
	}
	var found []Install
	for _, pattern := range patterns {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("directory of PostgreSQL's binaries %q: %w", pattern, err)
		}
		var here []Install
		for _, dir := range dirs {
			if install, ok := inspect(dir); ok {
				here = append(here, install)
			}
		}
		slices.SortStableFunc(here, func(a, b Install) int { return cmp.Compare(b.Major, a.Major) })
		found = append(found, here...)
	}
	slices.SortStableFunc(found, func(a, b Install) int { return cmp.Compare(rank(b), rank(a)) })
	return found, nil
}

func rank(i Install) int {
	if i.Vector {
		return 1
	}
	return 0
}

// Best gives the first usable install, or an error that names the command that makes one.
func Best(patterns ...string) (Install, error) {
	found, err := Find(patterns...)
	switch {
	case err != nil:
		return Install{}, err
	case len(found) == 0:
		return Install{}, errors.New("no PostgreSQL is installed here: run " + InstallCommand)
	case !found[0].Vector:
		return Install{}, fmt.Errorf("found only %v: run %s", found[0], InstallCommand)
	}
	return found[0], nil
}

func defaultPatterns() ([]string, error) {
	if bin := os.Getenv(BinEnv); bin != "" {
		return []string{bin}, nil
	}
	home, err := Home()
	if err != nil {
		return nil, err
	}
	return append([]string{filepath.Join(home, "postgresql/lib/postgresql/*/bin")}, systemDirs...), nil
}

// inspect asks a directory's postgres for its version: "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)".
func inspect(dir string) (Install, bool) {
	install := Install{Bin: dir}
	out, err := install.Command("postgres", "--version").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 3 || !exists(filepath.Join(dir, "initdb")) {
		return Install{}, false
	}
	major, _, _ := strings.Cut(fields[2], ".")
	if install.Major, err = strconv.Atoi(major); err != nil {
		return Install{}, false // a development version, such as 19devel
	}
	// Debian's layout, then the two of the source distribution.
	for _, share := range []string{"../../../../share/postgresql/" + major, "../share/postgresql", "../share"} {
		install.Vector = install.Vector || exists(filepath.Join(dir, share, "extension/vector.control"))
	}
	return install, true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
