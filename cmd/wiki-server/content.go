package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wiki/core"
	"wiki/core/bundle"
	"wiki/core/demo"
	"wiki/core/ingest"
	"wiki/core/wiki"
)

// A first run loads content once. What was loaded is noted in the state directory, per tenant: a page that somebody archived
// since does not come back on the next start.

// demoSource is the note's name for the demo; a folder is noted under its absolute path.
const demoSource = demo.Source

func (a *app) loadedFile() string { return filepath.Join(a.settings.StateDir, "content.json") }

// loaded is which steps of which source are in a tenant: tenant/source -> step names.
type loadedContent map[string][]string

func (a *app) readLoaded() (loadedContent, error) {
	l := loadedContent{}
	raw, err := os.ReadFile(a.loadedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &l)
	}
	if err != nil {
		return nil, blocked(err, "remove it: content is then looked at again, and what is there stays", "cannot read %s", a.loadedFile())
	}
	return l, nil
}

func (a *app) noteLoaded(l loadedContent, place, step string) error {
	l[place] = append(l[place], step)
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writePrivate(a.loadedFile(), raw)
}

// step is one import of a first run.
type step struct {
	name   string
	dir    func() (dir string, done func(), err error)
	source string
	force  bool
}

// loadContent imports what is not in the tenant yet: the folder given, or else the demo. Pages are published, since the
// person who runs this wants to read and judge them. An import that was stopped goes on where it was.
func (a *app) loadContent(ctx context.Context, c *core.Core, operator wiki.Actor, content string) error {
	steps, source := demoSteps(), demoSource
	if content != "" {
		source = content
		steps = []step{{name: content, dir: func() (string, func(), error) { return content, func() {}, nil }, source: content}}
	}
	l, err := a.readLoaded()
	if err != nil {
		return err
	}
	place := operator.Tenant.String() + " " + source
	if content != "" && len(l[place]) > 0 {
		a.say("The content of %s is here already; to bring in what changed since: wiki-server import --publish %s", content, content)
	}
	for _, s := range steps {
		if slices.Contains(l[place], s.name) {
			continue
		}
		if err := a.loadStep(ctx, c, operator, s); err != nil {
			return err
		}
		if err := a.noteLoaded(l, place, s.name); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) loadStep(ctx context.Context, c *core.Core, operator wiki.Actor, s step) error {
	dir, done, err := s.dir()
	if err != nil {
		return err
	}
	defer done()
	src, err := bundle.Open(dir, bundle.FormatAuto)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	p := a.newProgress("Loading " + s.name)
	report, err := c.Ingest.Run(ctx, operator, src, ingest.Options{Publish: true, Force: s.force, Name: s.source}, p.show)
	p.end(report, err)
	return err
}

// demoSteps are the imports that make the demo, from the files built into this program.
func demoSteps() []step {
	var steps []step
	for _, d := range demo.Steps() {
		steps = append(steps, step{name: d.Name, source: demo.Source, force: d.Force, dir: func() (string, func(), error) { return unpack(d.FS) }})
	}
	return steps
}

// unpack writes built-in files to a temporary folder, which is what an import reads.
func unpack(files fs.FS) (dir string, done func(), err error) {
	if dir, err = os.MkdirTemp("", "wiki-demo-"); err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	if err = os.CopyFS(dir, files); err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

// checkContent refuses a folder that is not there before anything slow begins, and gives its absolute path.
func checkContent(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", wiki.Invalid("content", "the folder %q cannot be found", dir)
	}
	info, err := os.Stat(absolute)
	if err != nil || !info.IsDir() {
		return "", wiki.Invalid("content", "%s is not a folder of markdown, nor a bundle", absolute)
	}
	return absolute, nil
}
