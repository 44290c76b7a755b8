package main

import (
	"strconv"
	"strings"
	"time"

	"wiki/core/nightly"
	"wiki/core/wiki"
)

// nightSettings are those of the nightly pass.
func (a *app) nightSettings() (nightly.Settings, error) {
	s := a.settings
	settings := nightly.Settings{Hour: max(s.NightlyHour, 0), Time: s.NightlyTime}
	if s.NightlyHour > 23 || s.NightlyHour < -1 {
		return settings, wiki.Invalid("nightly-hour", "nightly-hour must be between 0 and 23, or -1")
	}
	if s.NightlyTime <= nightly.DefaultReserve {
		return settings, wiki.Invalid("nightly-time", "nightly-time must be more than %s, which is kept for the report", nightly.DefaultReserve)
	}
	if s.NightlyTenants < 1 {
		return settings, wiki.Invalid("nightly-tenants", "nightly-tenants must be 1 or more; --nightly-hour -1 runs no pass")
	}
	var err error
	settings.Budgets, err = parseBudgets(s.NightlyBudgets)
	return settings, err
}

// parseBudgets reads consumer=count/time, with commas between.
func parseBudgets(text string) (map[string]wiki.NightBudget, error) {
	budgets := map[string]wiki.NightBudget{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, budget, named := strings.Cut(part, "=")
		count, span, both := strings.Cut(budget, "/")
		n, err := strconv.Atoi(count)
		d, err2 := time.ParseDuration(span)
		if !named || !both || err != nil || err2 != nil || n < 0 || d < 0 {
			return nil, wiki.Invalid("nightly-budgets", "nightly-budgets must be like verdicts=500/2m,conflicts=500/5m, not %q", part)
		}
		budgets[name] = wiki.NightBudget{Count: n, Time: d}
	}
	return budgets, nil
}
