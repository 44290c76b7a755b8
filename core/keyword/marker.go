package keyword

import "wiki/core/wiki"

// Marker finds a query's words in texts.
type Marker struct{ wanted map[string]bool }

// NewMarker makes the marker of a query.
func NewMarker(query string) Marker {
	m := Marker{wanted: map[string]bool{}}
	for _, t := range parse(query).terms {
		m.wanted[t] = true
	}
	return m
}

// Matches gives the stretches of a text that the query's words matched, in order and apart.
func (m Marker) Matches(text string) (spans []wiki.Span) {
	if len(m.wanted) == 0 {
		return nil
	}
	analyse(text, func(t token) {
		if m.wanted[t.term] {
			spans = append(spans, wiki.Span{Start: t.start, End: t.end})
		}
	})
	return wiki.MergeSpans(spans)
}
