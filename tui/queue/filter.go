package queue

import (
	"fmt"
	"strconv"
	"strings"

	"wiki/server/api"
)

// Filters is what a filter text may say, for help and messages.
const Filters = "kind:system kind:asserted category:NAME by:NAME over:0.95 under:0.99"

// ParseFilter reads a filter text into a query, whose other fields stay. The error names the word at fault.
func ParseFilter(text string, q api.ConflictQuery) (api.ConflictQuery, error) {
	q.Kind, q.Category, q.By, q.MinSimilarity, q.MaxSimilarity = "", "", "", 0, 0
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
