package keyword_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres/pgtest"
)

// Case 52: accents and inflections were not found. Each form finds the other, whichever of the two was stored.
func TestCase52AccentsAndInflectionsAreFound(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	pages := map[string]uuid.UUID{}
	for _, body := range []string{
		"The café serves naïve art.", "Dvorak composed for strings.", "Zażółć gęślą jaźń.", "Smørrebrød for all crews.",
		"Deployments are tested nightly.", "She renews the certificate.", "Policies of retention.", "The crew is running late.",
	} {
		pages[body] = mustAdd(t, db, me.Tenant, "Page "+body, body)
	}
	for query, body := range map[string]string{
		"cafe":           "The café serves naïve art.",
		"CAFÉ":           "The café serves naïve art.",
		"cafe\u0301":     "The café serves naïve art.",
		"cafés":          "The café serves naïve art.",
		"naive":          "The café serves naïve art.",
		"Dvořák":         "Dvorak composed for strings.",
		"zazolc":         "Zażółć gęślą jaźń.",
		"gęśla":          "Zażółć gęślą jaźń.",
		"smorrebrod":     "Smørrebrød for all crews.",
		"deploy":         "Deployments are tested nightly.",
		"deployed tests": "Deployments are tested nightly.",
		"renewing":       "She renews the certificate.",
		"certificates":   "She renews the certificate.",
		"policy":         "Policies of retention.",
		"run":            "The crew is running late.",
	} {
		require.Equal(t, []uuid.UUID{pages[body]}, find(t, db, me, query), query)
	}
}
