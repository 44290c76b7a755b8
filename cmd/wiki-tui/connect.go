package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"wiki/core/wiki"
	"wiki/tui/config"
)

// Where a server and a key are looked for besides the command line.
const (
	envURL  = "WIKI_URL"
	envKey  = "WIKI_KEY"
	envHome = "WIKI_HOME" // the state directory of a server on this machine

	defaultServer = "http://127.0.0.1:7171" // wiki-server's own default
	runningName   = "server.json"           // the record that a running server leaves
	userKeyName   = "keys/user"             // the key that setup makes for a person
)

// connection is a server and a key, either of which may be missing.
type connection struct{ server, key string }

// connect finds the server and the key.
func connect(f flags, file config.File, env func(string) string, homes []string) (connection, error) {
	var c connection
	if c.server = first(f.server, env(envURL), file.Server); c.server == "" {
		c.server = localServer(homes)
	}
	switch path := first(f.keyFile, onlyIf(env(envKey) == "", file.KeyFile)); {
	case path != "":
		raw, err := os.ReadFile(expand(path))
		if err != nil {
			return c, wiki.Invalid("key-file", "the key file cannot be read: %v", err)
		}
		if c.key = strings.TrimSpace(string(raw)); c.key == "" {
			return c, wiki.Invalid("key-file", "the key file %s is empty", path)
		}
	case env(envKey) != "":
		c.key = strings.TrimSpace(env(envKey))
	default:
		c.key = localKey(homes)
	}
	return c, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func onlyIf(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}

// expand gives a path with ~ its meaning.
func expand(path string) string {
	if rest, found := strings.CutPrefix(path, "~/"); found {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// localServer is the address of a server on this machine: the one that runs, or the usual one when one was set up.
func localServer(homes []string) string {
	for _, home := range homes {
		raw, err := os.ReadFile(filepath.Join(home, runningName))
		var r struct {
			URL string `json:"url"`
		}
		if err == nil && json.Unmarshal(raw, &r) == nil && r.URL != "" {
			return r.URL
		}
	}
	if localKey(homes) != "" {
		return defaultServer
	}
	return ""
}

func localKey(homes []string) string {
	for _, home := range homes {
		if raw, err := os.ReadFile(filepath.Join(home, userKeyName)); err == nil {
			return strings.TrimSpace(string(raw))
		}
	}
	return ""
}

// serverHomes are where a server on this machine keeps its state: as wiki-server's own default has it, for a user and for
// root.
func serverHomes(env func(string) string) []string {
	if home := env(envHome); home != "" {
		return []string{home}
	}
	homes := []string{}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		homes = append(homes, filepath.Join(dir, "wiki"))
	} else if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, filepath.Join(home, ".local", "share", "wiki"))
	}
	return append(homes, "/var/lib/wiki")
}

// stateDir is where the workbench keeps its outbox.
func stateDir(env func(string) string) (string, error) {
	if dir := env("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "wiki"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home directory to keep acts in: set XDG_STATE_HOME to a directory that lasts")
	}
	return filepath.Join(home, ".local", "state", "wiki"), nil
}

// missing is what the first-run screen says; nil when there is all that is needed.
func (c connection) missing() []string {
	switch {
	case c.server == "":
		return []string{
			"", "No server is known yet.", "",
			"To start one on this machine:   wiki-server dev",
			"To use one that runs:           wiki-tui --server http://host:7171 --key-file FILE",
			"To keep that:                   server and key_file in $XDG_CONFIG_HOME/wiki/tui.yaml",
		}
	case c.key == "":
		return []string{
			"", "The server is " + c.server + ", but no key is known.", "",
			"Ask whoever runs the server for a key of role user:  wiki-server key create NAME --role user",
			"Give it with --key-file FILE, or in the environment variable " + envKey + ".",
		}
	}
	return nil
}
