package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"wiki/server/client"
)

// running is the record that a server leaves in its state directory while it runs: how to reach it and its database. It
// holds the database's password, so only its owner may read it.
type running struct {
	PID int    `json:"pid"`
	URL string `json:"url"`
	DSN string `json:"dsn"`

	InternalURL string `json:"internal_url,omitempty"` // of metrics, health and readiness; empty = off
}

// healthTimeout bounds the question whether a recorded server still answers.
const healthTimeout = 2 * time.Second

func runningFile(stateDir string) string { return filepath.Join(stateDir, "server.json") }

// record writes the file; the function that comes back removes it.
func (r running) record(stateDir string) (func(), error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if err := writePrivate(runningFile(stateDir), raw); err != nil {
		return nil, err
	}
	return func() { _ = os.Remove(runningFile(stateDir)) }, nil
}

// findRunning gives the server that runs on a state directory, if one answers. A record that a killed server left behind
// answers to nothing, and so counts as none.
func findRunning(ctx context.Context, stateDir string) (running, bool) {
	var r running
	raw, err := os.ReadFile(runningFile(stateDir))
	if err != nil || json.Unmarshal(raw, &r) != nil {
		return running{}, false
	}
	c, err := client.New(r.URL, "", client.WithTimeout(healthTimeout))
	if err != nil {
		return running{}, false
	}
	_, err = c.Health(ctx)
	return r, err == nil
}

// writePrivate writes a file that only its owner reads, whole or not at all.
func writePrivate(path string, content []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
