package queue

import (
	"fmt"
	"strconv"
	"strings"

	"wiki/server/api"
)

// Filters is what a filter text may say, for help and messages.
const Filters = "kind:system kind:asserted category:NAME by:NAME over:0.95 under:0.99 older:7d newer:24h"

// ParseFilter reads a filter text into a query, whose state and order stay. The error names the word at fault.
func ParseFilter(text string, q api.ConflictQuery) (api.ConflictQuery, error) {
	q = api.ConflictQuery{State: q.State, Sort: q.Sort}
	for _, word := range strings.Fields(text) {
		name, value, found := strings.Cut(word, ":")
		if !found || value == "" {
			return q, fmt.Errorf("%q is no filter; write %s", word, Filters)
		}
		var err error
		switch name {
		case "kind":
			q.Kind, err = oneOf(value, "system", "asserted")
		case "category":
			q.Category = value
		case "by":
			q.By = value
		case "over":
			q.MinSimilarity, err = share(value)
		case "under":
			q.MaxSimilarity, err = share(value)
		case "older":
			q.MinAgeHours, err = hours(value)
		case "newer":
			q.MaxAgeHours, err = hours(value)
		default:
			err = fmt.Errorf("there is no filter %q; write %s", name, Filters)
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

func oneOf(value string, allowed ...string) (string, error) {
	for _, a := range allowed {
		if value == a {
			return value, nil
		}
	}
	return "", fmt.Errorf("%q is none of %s", value, strings.Join(allowed, ", "))
}

func share(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, fmt.Errorf("%q is no similarity: write a number from 0 to 1", value)
	}
	return f, nil
}

const hoursOfDay = 24

// hours reads an age: "36h" or "7d".
func hours(value string) (int, error) {
	unit := 1
	digits, found := strings.CutSuffix(value, "d")
	if found {
		unit = hoursOfDay
	} else {
		digits, found = strings.CutSuffix(value, "h")
	}
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 1 || n > maxAgeHours/unit {
		return 0, fmt.Errorf("%q is no age: write 36h or 7d, at most %dd", value, maxAgeHours/hoursOfDay)
	}
	return n * unit, nil
}

// maxAgeHours is what the server takes at most.
const maxAgeHours = 87_600

// FilterText writes the filter that ParseFilter reads as the query's: a saved one is shown, and changed, as it is typed.
func FilterText(q api.ConflictQuery) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+":"+value)
		}
	}
	add("kind", q.Kind)
	add("category", q.Category)
	add("by", q.By)
	add("over", number(q.MinSimilarity))
	add("under", number(q.MaxSimilarity))
	add("older", age(q.MinAgeHours))
	add("newer", age(q.MaxAgeHours))
	return strings.Join(words, " ")
}

func number(share float64) string {
	if share == 0 {
		return ""
	}
	return strconv.FormatFloat(share, 'g', -1, 64)
}

func age(hours int) string {
	switch {
	case hours == 0:
		return ""
	case hours%hoursOfDay == 0:
		return strconv.Itoa(hours/hoursOfDay) + "d"
	}
	return strconv.Itoa(hours) + "h"
}
