package eval_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/eval"
	"wiki/core/shareddata"
	"wiki/core/wiki"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func TestCollectionReadsBothCommonForms(t *testing.T) {
	t.Parallel()
	beir := write(t, map[string]string{
		"corpus.jsonl":   `{"_id": "d1", "title": "Cats", "text": "Cats sleep."}` + "\n" + `{"_id": "d2", "title": "Cats", "text": "Cats purr."}` + "\n\n" + `{"_id": "d3", "title": "", "text": "Dogs bark."}`,
		"queries.jsonl":  `{"_id": "q1", "text": "who sleeps?"}` + "\r\n" + `{"_id": "q2", "text": "unjudged"}`,
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
	})
	trec := write(t, map[string]string{
		"corpus_all.csv": "doc_id,title,abstract\nd1,Cats,\"['Cats sleep.'\n 'A lot.']\"\nd2,Cats,Cats purr.\nd3,,Dogs bark.\n",
		"topics.x.tsv":   "q1\twho sleeps?\nq2\tunjudged\n",
		"qrels.x.txt":    "q1 0 d1 2\nq1 0 d2 0\n",
	})
	for dir, body := range map[string]string{beir: "Cats sleep.", trec: "Cats sleep. A lot."} {
		s, err := eval.Collection(dir)
		require.NoError(t, err)
		require.Equal(t, []eval.Document{{ID: "d1", Title: "Cats", Body: body}, {ID: "d2", Title: "Cats (d2)", Body: "Cats purr."}, {ID: "d3", Title: "d3", Body: "Dogs bark."}}, s.Documents)
		require.Equal(t, []eval.Question{{ID: "q1", Text: "who sleeps?", Relevant: map[string]int{"d1": 2}}}, s.Questions)
	}
}

func TestCollectionSaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	corpus, queries := `{"_id": "d1", "title": "Cats", "text": "Cats sleep."}`, `{"_id": "q1", "text": "who?"}`
	for name, files := range map[string]map[string]string{
		"empty":        {},
		"no judgement": {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.txt": "q9 0 d1 1\n"},
		"broken line":  {"corpus.jsonl": "{", "queries.jsonl": queries, "qrels.txt": "q1 0 d1 1\n"},
		"two columns":  {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.txt": "q1 d1\n"},
	} {
		_, err := eval.Collection(write(t, files))
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), name)
	}
}

func TestCollectionReadsSciFact(t *testing.T) {
	t.Parallel()
	s, err := eval.Collection(shareddata.Dir(t, "scifact"))
	require.NoError(t, err)
	require.Len(t, s.Documents, 5183)
	require.Len(t, s.Questions, 300)
}
