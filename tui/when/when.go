// Package when says times the way people do, in few columns.
package when

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// Ago says how long ago t was: 5m, 3h, 12d, 4mo, 2y; "now" below a minute or in the future.
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%dd", d/day)
	case d < 730*day:
		return fmt.Sprintf("%dmo", d/(30*day))
	}
	return fmt.Sprintf("%dy", d/(365*day))
}

// Old is Ago in a sentence: "3h ago", "now".
func Old(t, now time.Time) string {
	if s := Ago(t, now); s != "now" {
		return s + " ago"
	}
	return "just now"
}

// Clock says a time of today as 15:04 and another day's as Mon 2 Jan 15:04, in the place of now.
func Clock(t, now time.Time) string {
	t = t.In(now.Location())
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 2 Jan 15:04")
}

// Count says a number of things: "1 verdict", "3 verdicts".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
