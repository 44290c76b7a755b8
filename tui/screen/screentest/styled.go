package screentest

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"wiki/tui/screen"
	"wiki/tui/theme"
)

// Themes gives each theme once.
func Themes() []*theme.Theme {
	out := []*theme.Theme{theme.For(colorprofile.ASCII, true)}
	for _, p := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.TrueColor} {
		out = append(out, theme.For(p, true), theme.For(p, false))
	}
	return out
}

// RequireStyled keeps a screen with its styles as a golden file for each theme. show gives the screen of an environment; it is
// driven there, and drawn after.
func RequireStyled(t *testing.T, show func(t *testing.T, env *screen.Env) *Driver) {
	for _, th := range Themes() {
		t.Run(th.Name, func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, Visible(show(t, EnvIn(th)).View()))
		})
	}
}

// Visible writes escape sequences so that a file shows them.
func Visible(view string) string { return strings.ReplaceAll(view+"\n", "\x1b", "\\e") }
