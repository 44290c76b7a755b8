package bundle

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Conformance says whether a folder is a conformant OKF bundle (OKF §11). Nothing is refused for a fault: it is told.
type Conformance struct {
	Version string  `json:"version,omitempty"` // as the bundle declares it; empty when it doesn't
	Faults  []Fault `json:"faults"`
}

// Fault is one file that breaks a rule of OKF.
type Fault struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Conformant says that there is no fault.
func (c Conformance) Conformant() bool { return len(c.Faults) == 0 }

var dateHeading = regexp.MustCompile(`(?m)^##[ \t]+(.*)$`)

var isoDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// Conformance checks every file against OKF §11.
func (s *Source) Conformance() Conformance {
	c := Conformance{Faults: []Fault{}}
	for _, f := range s.files {
		fault := func(message string) { c.Faults = append(c.Faults, Fault{Path: f.Path, Message: message}) }
		if f.Err != nil {
			fault(f.Err.Error())
			continue
		}
		h, err := s.header(f.Path)
		if err != nil {
			fault(err.Error())
			continue
		}
		switch name := path.Base(f.Path); {
		case f.Path == "index.md":
			c.Version = h.text("okf_version")
			extra := slices.DeleteFunc(keys(h.fields), func(k string) bool { return k == "okf_version" })
			if len(extra) > 0 {
				fault("the root index may only declare okf_version in its front matter")
			}
		case name == "index.md" && h.present:
			fault("an index has no front matter")
		case name == "log.md":
			if bad := badDate(h.body); bad != "" {
				fault("the heading " + bad + " of the log is not a date such as 2026-01-31")
			}
		case slices.Contains(reserved, name): // an index without front matter: as it should be
		case !h.present:
			fault("it has no front matter")
		case h.text("type") == "":
			fault("its front matter has no type")
		case len(h.warnings) > 0:
			fault("its front matter is not valid YAML: " + h.warnings[0].Message)
		}
	}
	return c
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func badDate(log string) string {
	for _, g := range dateHeading.FindAllStringSubmatch(log, -1) {
		if title := strings.TrimSpace(g[1]); !isoDate.MatchString(title) {
			return title
		}
	}
	return ""
}
