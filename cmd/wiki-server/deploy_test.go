package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"wiki/server/api"
)

var (
	metricName = regexp.MustCompile(`\b(?:wiki|loopctl|process|go)_[a-z0-9_]+`)
	grouping   = regexp.MustCompile(`by \(([^)]*)\)`)
	braced     = regexp.MustCompile(`\{\{ *(?:\$labels\.)?([a-z]+) *\}\}`)
	matcher    = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// sample is an expression of the files in deploy, and the text that its labels are put into.
type sample struct{ Expr, Legend string }

func deployed(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	return raw
}

func alertSamples(t *testing.T) (all []sample) {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(deployed(t, "alerts.yml"), &file))
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			require.NotEmpty(t, r.Annotations["summary"], r.Alert)
			require.NotEmpty(t, r.Annotations["action"], "%s: an alert says what to do", r.Alert)
			all = append(all, sample{r.Expr, r.Annotations["summary"]})
		}
	}
	return all
}

func boardSamples(t *testing.T) (all []sample) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(deployed(t, "grafana.json"), &board))
	for _, p := range board.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			all = append(all, sample{target.Expr, target.LegendFormat})
		}
	}
	return all
}

// family finds the metric that an expression names; a histogram by its parts.
func family(scraped map[string]*dto.MetricFamily, name string) *dto.MetricFamily {
	for _, part := range []string{"", "_bucket", "_count", "_sum"} {
		whole := strings.TrimSuffix(name, part)
		if f := scraped[whole]; f != nil && (part == "") == (f.GetType() != dto.MetricType_HISTOGRAM) {
			return f
		}
	}
	return nil
}

// labels gives the values of a metric's labels by name, with those that Prometheus adds.
func labels(f *dto.MetricFamily) map[string][]string {
	has := map[string][]string{"instance": nil, "job": {"wiki"}}
	if f.GetType() == dto.MetricType_HISTOGRAM {
		has["le"] = nil
	}
	for _, m := range f.Metric {
		for _, l := range m.Label {
			has[l.GetName()] = append(has[l.GetName()], l.GetValue())
		}
	}
	return has
}

// What the sample rules and the dashboard ask for is there, under these names and labels, in what a server shows.
func TestSamplesForOperatorsNameWhatIsShown(t *testing.T) {
	t.Parallel()
	s, addr := newShell(t), freeAddress(t)
	stop := s.dev(addr, "--content", t.TempDir())
	c := s.curator(addr)
	_, err := c.Propose(t.Context(), api.Proposal{Title: "Tides", Body: quoted("The tide turns twice a day."), Category: "reference"})
	require.NoError(t, err)
	_, _, err = c.Search(t.Context(), api.SearchQuery{Query: "tide"})
	require.NoError(t, err)
	r, _ := findRunning(t.Context(), s.state)
	status, body := page(t, r.InternalURL+"/metrics")
	require.Equal(t, http.StatusOK, status, body)
	code, _, errOut := stop()
	require.Equal(t, exitOK, code, errOut)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	scraped, err := parser.TextToMetricFamilies(strings.NewReader(body))
	require.NoError(t, err)

	samples := append(alertSamples(t), boardSamples(t)...)
	require.Greater(t, len(samples), 30)
	for _, sample := range samples {
		names := metricName.FindAllString(sample.Expr, -1)
		if len(names) == 0 {
			require.Equal(t, `up{job="wiki"} == 0`, sample.Expr)
		}
		for _, name := range names {
			f := family(scraped, name)
			require.NotNil(t, f, "%s: no such metric is shown: %s", sample.Expr, name)
			has := labels(f)
			for _, by := range grouping.FindAllStringSubmatch(sample.Expr, -1) {
				for label := range strings.SplitSeq(by[1], ", ") {
					require.Contains(t, has, label, sample.Expr)
				}
			}
			for _, word := range braced.FindAllStringSubmatch(sample.Legend, -1) {
				require.Contains(t, has, word[1], sample.Legend)
			}
			for _, pair := range matcher.FindAllStringSubmatch(sample.Expr, -1) {
				require.True(t, slices.Contains(has[pair[1]], pair[2]), "%s: no series has %s", sample.Expr, pair[0])
			}
		}
	}
}

// The unit and the container set what there is to set.
func TestSamplesForOperatorsSetWhatCanBeSet(t *testing.T) {
	t.Parallel()
	defaults := defaultSettings()
	known := map[string]bool{}
	for _, f := range fields(&defaults) {
		known[f.env] = true
	}
	for _, name := range []string{"wiki-server.service", "Containerfile"} {
		set := regexp.MustCompile(`\b(WIKI_[A-Z_]+|DATABASE_URL)=`).FindAllSubmatch(deployed(t, name), -1)
		require.NotEmpty(t, set, name)
		for _, m := range set {
			require.True(t, known[string(m[1])], "%s sets %s, which is no setting", name, m[1])
		}
	}
	require.Contains(t, string(deployed(t, "wiki-server.service")), "serve")
}
