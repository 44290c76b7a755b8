package diffview

import (
	"wiki/tui/action"
	"wiki/tui/listing"
)

// Travel moves in the view by a movement's action.
func (v *View) Travel(id action.ID) {
	switch id {
	case action.Top:
		v.ToTop()
	case action.Bottom:
		v.ToBottom()
	default:
		v.Scroll(listing.Step(id, v.height, 0))
	}
}
