package theme

// palette holds a theme's colours: "#rrggbb", the number of one of the terminal's own 16 colours, or "" for the
// terminal's default.
type palette struct {
	text, muted, border         string
	accent, key, link           string
	danger, caution, good       string
	selectedText, selectedBack  string
	barText, barBack            string
	matchText, matchBack        string
	removed, removedWord        string // orange and blue stay apart for all common kinds of colour blindness
	removedBack                 string // (Okabe and Ito); red and green don't
	added, addedWord, addedBack string
}

// The full-colour palettes. No background is painted behind ordinary text, so each colour has to be readable on any
// usual background of its kind: a test computes the contrasts.
var (
	darkPalette = palette{
		text: "", muted: "#a8b3c2", border: "#7f8b9c",
		accent: "#8cc8ff", key: "#ffd479", link: "#8cc8ff",
		danger: "#ffab91", caution: "#ffd479", good: "#8fe0c4",
		selectedText: "#ffffff", selectedBack: "#3a4a63",
		barText: "#e6edf5", barBack: "#27313f",
		matchText: "#1c1400", matchBack: "#ffd479",
		removed: "#ffb876", removedWord: "#ffe3c2", removedBack: "#6b3a00",
		added: "#8cc8ff", addedWord: "#d9eeff", addedBack: "#0b4a7d",
	}
	lightPalette = palette{
		text: "", muted: "#55606e", border: "#7a8594",
		accent: "#00518f", key: "#6b4400", link: "#00518f",
		danger: "#9c2500", caution: "#6b4400", good: "#005c43",
		selectedText: "#0b1d33", selectedBack: "#c5daf2",
		barText: "#16202c", barBack: "#dde3ea",
		matchText: "#2b1d00", matchBack: "#ffd98a",
		removed: "#8a4300", removedWord: "#542900", removedBack: "#ffdcb3",
		added: "#00518f", addedWord: "#00365f", addedBack: "#cbe4ff",
	}
)

// The palettes of a terminal with 16 colours use its own, which its owner chose.
var (
	dark16Palette = palette{
		muted: "7", border: "7", accent: "14", key: "11", link: "14", danger: "9", caution: "11", good: "10",
		matchText: "0", matchBack: "11",
		removed: "11", removedWord: "0", removedBack: "11", added: "14", addedWord: "0", addedBack: "14",
		barText: "15", barBack: "", selectedText: "", selectedBack: "",
	}
	light16Palette = palette{
		muted: "", border: "8", accent: "4", key: "5", link: "4", danger: "1", caution: "5", good: "4",
		matchText: "0", matchBack: "11",
		removed: "1", removedWord: "15", removedBack: "1", added: "4", addedWord: "15", addedBack: "4",
		barText: "", barBack: "", selectedText: "", selectedBack: "",
	}
)
