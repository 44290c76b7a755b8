package theme

import (
	"image/color"
	"math"
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"
)

// minContrast is what WCAG 2.2 (1.4.3, AA) asks of text; minFrame what it asks of frames (1.4.11).
const (
	minContrast = 4.5
	minFrame    = 3
)

// Usual backgrounds: black, One Dark, Nord; white, GitHub, Solarized.
var (
	darkBacks  = []string{"#000000", "#282c34", "#2e3440"}
	lightBacks = []string{"#ffffff", "#f6f8fa", "#fdf6e3"}
)

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 21, contrast(color.White, color.Black), 1e-6)
	for _, c := range []struct {
		theme *Theme
		fore  color.Color // the terminal's own
		backs []string
	}{
		{For(colorprofile.TrueColor, true), lipgloss.Color("#d0d0d0"), darkBacks},
		{For(colorprofile.TrueColor, false), lipgloss.Color("#24292f"), lightBacks},
		{For(colorprofile.ANSI, true), lipgloss.Color("15"), darkBacks[:1]},
		{For(colorprofile.ANSI, false), color.Black, lightBacks[:1]},
	} {
		each(c.theme, func(name string, s lipgloss.Style) {
			for _, back := range c.backs {
				fore, behind := s.GetForeground(), s.GetBackground()
				if none(fore) {
					fore = c.fore
				}
				if none(behind) {
					behind = lipgloss.Color(back)
				}
				least := minContrast
				if name == "Border" {
					least = minFrame
				}
				require.GreaterOrEqual(t, contrast(fore, behind), least, "%s: %s on %s", c.theme.Name, name, back)
			}
		})
	}
}

// sights are what people see of a colour in linear RGB who lack the cones for red, green or blue: after Viénot, Brettel and
// Mollon (1999), and for blue, where one plane is too coarse, after Brettel, Viénot and Mollon (1997) with its two.
var sights = map[string]func(r, g, b float64) [3]float64{
	"protan": func(r, g, b float64) [3]float64 {
		y := 0.11238*r + 0.88762*g
		return [3]float64{y, y, 0.00401*(r-g) + b}
	},
	"deutan": func(r, g, b float64) [3]float64 {
		y := 0.29275*r + 0.70725*g
		return [3]float64{y, y, -0.02234*(r-g) + b}
	},
	"tritan": func(r, g, b float64) [3]float64 {
		if 0.03901*r-0.02788*g-0.01113*b >= 0 {
			return [3]float64{1.01277*r + 0.13548*g - 0.14826*b, -0.01243*r + 0.86812*g + 0.14431*b, 0.07589*r + 0.80500*g + 0.11911*b}
		}
		return [3]float64{0.93678*r + 0.18979*g - 0.12657*b, 0.06154*r + 0.81526*g + 0.12320*b, -0.37562*r + 1.12767*g + 0.24796*b}
	},
}

// Grey is grey to everybody: a wrong number in a sight would tint it.
func TestSightsLeaveGreyAlone(t *testing.T) {
	t.Parallel()
	for name, see := range sights {
		for _, v := range see(0.5, 0.5, 0.5) {
			require.InDelta(t, 0.5, v, 1e-4, name)
		}
	}
}

// Added and removed must differ for people who see no red, no green or no blue, as words on their backgrounds and as lines
// without one.
func TestChangesDifferForColourBlind(t *testing.T) {
	t.Parallel()
	for _, dark := range []bool{true, false} {
		s := For(colorprofile.TrueColor, dark).Styles
		for name, see := range sights {
			for what, pair := range map[string][2]color.Color{
				"words": {s.RemovedWord.GetBackground(), s.AddedWord.GetBackground()},
				"lines": {s.Removed.GetForeground(), s.Added.GetForeground()},
			} {
				a, b := seen(pair[0], see), seen(pair[1], see)
				d := math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
				require.Greater(t, d, 0.15, "%s of %s, dark %v", what, name, dark)
			}
		}
	}
}

func seen(c color.Color, see func(r, g, b float64) [3]float64) [3]float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 { return math.Pow(float64(v)/0xffff, 2.2) }
	out := see(lin(r), lin(g), lin(b))
	for i := range out {
		out[i] = math.Pow(max(0, out[i]), 1/2.2)
	}
	return out
}

func TestMonoHasNoColourButSigns(t *testing.T) {
	t.Parallel()
	for _, p := range []colorprofile.Profile{colorprofile.NoTTY, colorprofile.ASCII} {
		m := For(p, false)
		require.True(t, m.Signs)
		each(m, func(name string, s lipgloss.Style) {
			require.True(t, none(s.GetForeground()) && none(s.GetBackground()), name)
		})
	}
}

func TestThemesHaveTheirNames(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
		for _, dark := range []bool{true, false} {
			names[For(p, dark).Name] = true
		}
	}
	require.Equal(t, map[string]bool{"mono": true, "dark": true, "light": true, "dark16": true, "light16": true}, names)
}

func each(t *Theme, fn func(name string, s lipgloss.Style)) {
	v := reflect.ValueOf(t.Styles)
	for i := range v.NumField() {
		fn(v.Type().Field(i).Name, v.Field(i).Interface().(lipgloss.Style))
	}
}
