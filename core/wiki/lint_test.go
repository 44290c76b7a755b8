package wiki_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

func TestClustersJoinWhatIsLinked(t *testing.T) {
	t.Parallel()
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	link := func(a, b byte) wiki.Link { return wiki.Link{Source: id(a), Target: id(b)} }
	require.Empty(t, wiki.Clusters(nil))
	require.Equal(t, [][]uuid.UUID{{id(1), id(2), id(3), id(4)}, {id(5), id(6)}, {id(7), id(8)}},
		wiki.Clusters([]wiki.Link{link(8, 7), link(1, 2), link(4, 3), link(3, 2), link(2, 4), link(6, 5), link(5, 6)}))
}
