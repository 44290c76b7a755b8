package gate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"wiki/core/articles"
	"wiki/core/gate"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

// Every naughty string through every text field: refused with the field's name, or read back equal in NFC. Nothing in
// between, and never an error without a code.
func TestHostileTextIsRefusedByNameOrReadsBackEqual(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shareddata.Dir(t, "naughty-strings"), "blns.json"))
	require.NoError(t, err)
	var naughty []string
	require.NoError(t, json.Unmarshal(raw, &naughty))
	naughty = append(naughty, "\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "\u202etxt.exe", strings.Repeat("e\u0301", 400), "\ufeffbom")
	b := newBench(t)
	b.gate.Assessor = fixed{assessment: gate.Assessment{Thresholds: gateLines}}
	reader := articles.Reader{DB: b.db}
	for i, s := range naughty {
		p := proposal(fmt.Sprintf("Hostile %d", i), s)
		p.IdempotencyKey = s
		p.Metadata = metadata(map[string]any{"note": s})
		o, err := b.gate.Propose(t.Context(), b.ann, p)
		if err != nil {
			require.Contains(t, []wiki.Code{wiki.CodeInvalid, wiki.CodeReservedTag}, wiki.ErrorCode(err), "%q: %v", s, err)
		} else if o.Created {
			stored := b.get(o.Article.ID)
			require.Equal(t, norm.NFC.String(s), stored.Body)
			require.Equal(t, norm.NFC.String(s), stored.Metadata["note"])
			require.Equal(t, norm.NFC.String(s), stored.IdempotencyKey)
		}
		o, err = b.gate.Propose(t.Context(), b.ann, proposal(s, fmt.Sprintf("Body %d", i)))
		if err != nil {
			require.Contains(t, []wiki.Code{wiki.CodeInvalid, wiki.CodeTitleConflict}, wiki.ErrorCode(err), "%q: %v", s, err)
			continue
		}
		require.Equal(t, strings.TrimSpace(norm.NFC.String(s)), b.get(o.Article.ID).Title)
		page, err := reader.List(t.Context(), b.ann, articles.Filter{Title: o.Article.Title, Tags: []string{s}, IdempotencyKey: s})
		require.NoError(t, err, "%q", s)
		require.Empty(t, page.Articles)
	}
	require.Greater(t, b.count("articles"), 900)
}
