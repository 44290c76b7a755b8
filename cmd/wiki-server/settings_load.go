package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"

	"wiki/core/wiki"
)

// sourceDefault is the source of a setting that nobody set.
const sourceDefault = "default"

// field is one setting: where its value goes, and where it came from.
type field struct {
	name, env, doc string
	secret         bool
	target         reflect.Value
	source         string // default, file, environment or flag
}

// fields lists the settings of s in order.
func fields(s *settings) []*field {
	v := reflect.ValueOf(s).Elem()
	out := make([]*field, v.NumField())
	for i := range out {
		tag := v.Type().Field(i).Tag
		f := &field{name: tag.Get("name"), env: tag.Get("env"), doc: tag.Get("doc"), secret: tag.Get("secret") != "", target: v.Field(i), source: sourceDefault}
		if f.env == "" {
			f.env = "WIKI_" + strings.ToUpper(strings.ReplaceAll(f.name, "-", "_"))
		}
		out[i] = f
	}
	return out
}

// Set parses a value by the field's type; with String and Type it makes a field a pflag.Value.
func (f *field) Set(text string) error {
	switch f.target.Interface().(type) {
	case string:
		f.target.SetString(text)
	case int:
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("must be a whole number")
		}
		f.target.SetInt(int64(n))
	case float64:
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return fmt.Errorf("must be a number from 0 to 1")
		}
		f.target.SetFloat(x)
	case time.Duration:
		d, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil || d <= 0 {
			return fmt.Errorf("must be a time span such as 500ms, 10s or 2m")
		}
		f.target.SetInt(int64(d))
	}
	return nil
}

func (f *field) String() string {
	if f.target.IsValid() {
		return fmt.Sprint(f.target.Interface())
	}
	return ""
}

// Type is the word that the help shows for the value.
func (f *field) Type() string {
	switch f.target.Interface().(type) {
	case int, float64:
		return "number"
	case time.Duration:
		return "span"
	default:
		return "text"
	}
}

// shown is the value as it may be printed.
func (f *field) shown() string {
	switch {
	case !f.secret || f.String() == "":
		return f.String()
	case strings.Contains(f.String(), "://"):
		if u, err := url.Parse(f.String()); err == nil {
			return (&url.URL{Scheme: u.Scheme, User: url.User("***"), Host: u.Host, Path: u.Path}).String()
		}
	}
	return "***"
}

// bind makes a flag of each setting.
func bind(flags *pflag.FlagSet, all []*field) {
	for _, f := range all {
		flags.Var(f, f.name, f.doc+" ("+f.env+")")
		if f.secret {
			flags.Lookup(f.name).DefValue = ""
		}
	}
}

// load fills what no flag set, from the environment and then from the file. The error is CodeInvalid and names the setting
// and the place.
func load(flags *pflag.FlagSet, all []*field, file string, s *settings) error {
	for _, f := range all {
		if flags.Changed(f.name) {
			f.source = "flag"
			continue
		}
		text, ok := os.LookupEnv(f.env)
		if !ok || text == "" {
			continue
		}
		if err := f.Set(text); err != nil {
			return wiki.Invalid(f.name, "the environment variable %s %v", f.env, err)
		}
		f.source = "environment"
	}
	named := file != ""
	if !named {
		file = filepath.Join(s.StateDir, "config.yaml")
	}
	return loadFile(all, file, named)
}

// loadFile reads the settings file: one "name: value" a line. A file that nobody named may be absent.
func loadFile(all []*field, file string, named bool) error {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named || errors.Is(err, fs.ErrPermission) && !named {
		return nil
	}
	if err != nil {
		return &wiki.Error{Code: wiki.CodeInvalid, Field: "config", Message: "the settings file cannot be read: " + err.Error()}
	}
	var lines map[string]any
	if err := yaml.Unmarshal(raw, &lines); err != nil {
		return wiki.Invalid("config", "%s is not a settings file of lines such as \"listen: 127.0.0.1:7171\":\n%s", file, yaml.FormatError(err, false, true))
	}
	for name, value := range lines {
		i := slices.IndexFunc(all, func(f *field) bool { return f.name == name })
		switch {
		case i < 0:
			return wiki.Invalid(name, "%s sets %q, which is no setting; wiki-server config lists them", file, name)
		case name == "state-dir" && !named:
			return wiki.Invalid(name, "%s lies in the state directory and so cannot move it", file)
		case all[i].source != sourceDefault:
			continue
		}
		if err := all[i].Set(fmt.Sprint(value)); err != nil {
			return wiki.Invalid(name, "%s: %s %v", file, name, err)
		}
		all[i].source = "file"
	}
	return nil
}
