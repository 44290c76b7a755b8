package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	east "github.com/yuin/goldmark/extension/ast"

	"wiki/tui/text"
)

const (
	divider   = " │ "
	minColumn = 4 // columns; a table that cannot give each of its columns so many is shown row by row
)

// table renders a table whose columns share the width by what they hold.
func (r *renderer) table(t *east.Table, width int) []string {
	var cells [][][]span
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		style := body
		if row.Kind() == east.KindTableHeader {
			style = body | bold
		}
		var line [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			line = append(line, r.inline(cell, style))
		}
		cells = append(cells, line)
	}
	widths := columnWidths(cells, width)
	if widths == nil {
		return r.listed(cells, width)
	}
	var rows []string
	for i, line := range cells {
		rows = append(rows, r.tableRow(line, widths)...)
		if i == 0 {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			rows = append(rows, r.inks.paint(border, strings.Join(rule, "─┼─")))
		}
	}
	return rows
}

// columnWidths gives each column what it needs, and where that is too much, takes from the widest; nil when there are too
// many columns.
func columnWidths(cells [][][]span, width int) []int {
	if len(cells) == 0 || len(cells[0]) == 0 {
		return nil
	}
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			if i < len(widths) {
				widths[i] = max(widths[i], text.Width(plain(cell)), 1)
			}
		}
	}
	room := width - (len(widths)-1)*text.Width(divider)
	if room < len(widths)*minColumn {
		return nil
	}
	for {
		total, widest := 0, 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= room {
			return widths
		}
		second := minColumn // cut the widest down to the next one, or as far as needed
		for i, w := range widths {
			if i != widest {
				second = max(second, min(w, widths[widest]-1))
			}
		}
		widths[widest] = max(second, widths[widest]-(total-room), minColumn)
	}
}

func (r *renderer) tableRow(line [][]span, widths []int) []string {
	columns, height := make([][]string, len(widths)), 1
	for i, w := range widths {
		if i < len(line) {
			columns[i] = r.flow(line[i], w)
		}
		height = max(height, len(columns[i]))
	}
	rows := make([]string, height)
	bar := r.inks.paint(border, divider)
	for y := range rows {
		for i, w := range widths {
			cell := ""
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			if i > 0 {
				rows[y] += bar
			}
			if rows[y] += cell; i < len(widths)-1 {
				rows[y] += strings.Repeat(" ", max(0, w-text.Width(ansi.Strip(cell))))
			}
		}
	}
	return rows
}

// listed shows a table too wide for its columns: each row as a paragraph of its cells.
func (r *renderer) listed(cells [][][]span, width int) []string {
	var rows []string
	for _, line := range cells {
		var all []span
		for i, cell := range line {
			if i > 0 {
				all = append(all, span{divider, border})
			}
			all = append(all, cell...)
		}
		rows = append(rows, r.flow(all, width)...)
	}
	return rows
}
