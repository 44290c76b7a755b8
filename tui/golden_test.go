package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/fake"
	"wiki/tui/screen/screentest"
)

// Sizes at which every screen is kept as text. The first is the least: below it the window is asked to grow.
var sizes = []tea.WindowSizeMsg{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}}

// scenes are the screens that are kept, each with how to get there.
var scenes = map[string]func(t *testing.T) *lab{
	"conflicts": func(t *testing.T) *lab {
		l := newLab(t, 30)
		l.server.Change(l.row(3), func(p *api.Pair) {
			p.Conflict.Claim = &api.Claim{By: "ben", ExpiresAt: start.Add(6 * time.Minute)}
		})
		l.event("claim.taken")
		l.press("j", "s", "a", "d", "k")
		l.deliver()
		return l
	},
	"conflicts-filter": func(t *testing.T) *lab {
		l := newLab(t, 12)
		l.press("/")
		l.typed("kind:asserted over:2")
		l.press("enter")
		return l
	},
	"conflicts-marked": func(t *testing.T) *lab {
		l := newLab(t, 30)
		l.press("space", "space", "j", "space", "v", "j", "j")
		return l
	},
	"conflicts-preview": func(t *testing.T) *lab {
		l := newLab(t, 30)
		l.server.Change(l.row(1), func(p *api.Pair) {
			p.Conflict.Claim = &api.Claim{By: "ben", ExpiresAt: start.Add(6 * time.Minute)}
		})
		l.event("claim.taken")
		l.press("*", "a")
		return l
	},
	"conflicts-partial": func(t *testing.T) *lab {
		l := newLab(t, 9)
		l.press("*", "a")
		for i := range 8 {
			l.server.Change(l.row(i), func(p *api.Pair) { p.First.Version = 9 })
		}
		l.press("y")
		l.deliver()
		return l
	},
	"conflicts-views": func(t *testing.T) *lab {
		l := newLab(t, 12)
		for _, v := range []api.NewConflictView{
			{Name: "Morning", Filter: api.ConflictQuery{State: "open", Sort: "newest", MaxAgeHours: 24}},
			{Name: "Old disputes", Filter: api.ConflictQuery{State: "open", Sort: "oldest", Kind: "asserted", MinAgeHours: 336}},
			{Name: "Ports", Filter: api.ConflictQuery{State: "judged", Sort: "impact", Category: "reference", MinSimilarity: 0.95}},
		} {
			_, err := l.server.SaveConflictView(t.Context(), v)
			require.NoError(t, err)
		}
		l.press("V", "j", "x")
		return l
	},
	"conflicts-views-empty": func(t *testing.T) *lab { l := newLab(t, 12); l.press("V"); return l },
	"conflicts-views-save": func(t *testing.T) *lab {
		l := newLab(t, 12)
		l.press("/")
		l.typed("kind:asserted older:2d")
		l.press("enter", "V", "s")
		l.typed("Disputes")
		return l
	},
	"conflicts-empty": func(t *testing.T) *lab { return newLab(t, 0) },
	"conflicts-end": func(t *testing.T) *lab {
		l := newLab(t, 4)
		l.press("enter", "a", "h", "s", "d")
		l.deliver()
		return l
	},
	"conflicts-unreadable": func(t *testing.T) *lab {
		l := newLab(t, 0)
		l.server.Fail(wiki.Errorf(wiki.CodeTimeout, "the query took too long"))
		l.press("o")
		return l
	},
	"pair": func(t *testing.T) *lab {
		l := newLab(t, 3)
		l.press("enter", "a")
		l.deliver()
		return l
	},
	"pair-agent": func(t *testing.T) *lab {
		l := newLab(t, 0, func(c *Config) {
			s := fake.New(func() time.Time { return start })
			s.Add(fake.Sample(0, start))
			s.Caller(func(w *api.Whoami) { w.Role, w.Principal = "agent", "scout" })
			c.Remote = idle{s}
		})
		l.press("enter")
		return l
	},
	"pair-held": func(t *testing.T) *lab {
		l := newLab(t, 2)
		l.server.Change(l.row(0), func(p *api.Pair) {
			p.Conflict.Claim = &api.Claim{By: "ben", ExpiresAt: start.Add(6 * time.Minute)}
		})
		l.event("claim.taken")
		l.press("enter")
		return l
	},
	"pair-why": func(t *testing.T) *lab {
		l := newLab(t, 4)
		l.press("G", "enter", "w")
		return l
	},
	"pair-note": func(t *testing.T) *lab {
		l := newLab(t, 2)
		l.press("enter", "e")
		l.typed("The runbook of May names 8081; the first page was written before the move.")
		return l
	},
	"pair-unified": func(t *testing.T) *lab {
		l := newLab(t, 2)
		l.press("enter", "t", "t")
		return l
	},
	"statistics": func(t *testing.T) *lab {
		l := newLab(t, 60)
		l.press("enter")
		for i, key := range []string{"a", "h", "a", "m", "a", "s", "a", "a"} {
			l.pass(time.Duration(10+7*i) * time.Second)
			l.press(key)
			l.deliver()
		}
		l.press("u", "S")
		return l
	},
	"statistics-empty": func(t *testing.T) *lab { l := newLab(t, 3); l.press("S"); return l },
	"help":             func(t *testing.T) *lab { l := newLab(t, 3); l.press("enter", "?", "down"); return l },
	"palette":          func(t *testing.T) *lab { l := newLab(t, 3); l.press(":"); l.typed("un"); return l },
	"execute": func(t *testing.T) *lab {
		l := newLab(t, 3)
		l.press("enter", "l", "m", "X")
		return l
	},
	"returned": func(t *testing.T) *lab {
		l := newLab(t, 3)
		l.press("enter")
		l.server.Change(l.row(0), func(p *api.Pair) { p.First.Version = 9 })
		l.press("h")
		l.deliver()
		return l
	},
	"degraded": func(t *testing.T) *lab {
		l := newLab(t, 3)
		l.press("a")
		l.held(wiki.Errorf(wiki.CodeUnavailable, "no server answers at 127.0.0.1:7171"))
		return l
	},
	"start-missing": func(t *testing.T) *lab {
		return newLab(t, 0, func(c *Config) {
			c.Remote, c.Server = nil, ""
			c.Missing = []string{"", "No server is known yet."}
		})
	},
	"start-no-server": func(t *testing.T) *lab {
		return failing(t, &wiki.Error{Code: wiki.CodeUnavailable, Message: "no server answers at 127.0.0.1:7171", Remedy: "start it with wiki-server serve, or correct the address"})
	},
	"start-wrong-key": func(t *testing.T) *lab { return failing(t, wiki.Errorf(wiki.CodeUnauthorized, "the key is not valid")) },
	"start-expired-key": func(t *testing.T) *lab {
		return failing(t, wiki.Errorf(wiki.CodeKeyExpired, "the key expired on 2026-05-01"))
	},
	"start-older-server": func(t *testing.T) *lab { return speaking(t, "0") },
	"start-newer-server": func(t *testing.T) *lab { return speaking(t, "7") },
}

func failing(t *testing.T, err error) *lab {
	return newLab(t, 2, func(c *Config) {
		s := fake.New(func() time.Time { return start })
		s.Fail(err)
		c.Remote = idle{s}
	})
}

func speaking(t *testing.T, version string) *lab {
	return newLab(t, 2, func(c *Config) {
		s := fake.New(func() time.Time { return start })
		s.Caller(func(w *api.Whoami) { w.APIVersion = version })
		c.Remote = idle{s}
	})
}

func TestGoldenScreens(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := scene(t)
			l.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII}) // what colours say is said in signs
			for _, size := range sizes {
				t.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(t *testing.T) {
					l.t = t
					l.send(size)
					golden.RequireEqual(t, l.screen())
				})
			}
		})
	}
}

// One of each screen that the root draws with another one in it, and of what lies over them.
func TestStyledScreens(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"conflicts-marked", "conflicts-views", "pair", "pair-unified", "help", "execute", "returned", "degraded"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := scenes[name](t)
			for _, th := range screentest.Themes() {
				t.Run(th.Name, func(t *testing.T) {
					l.t = t
					l.model.env.Theme = th
					l.send(tea.WindowSizeMsg{Width: 81, Height: 24}) // lays the texts out again, with the signs of the theme
					l.send(tea.WindowSizeMsg{Width: 80, Height: 24})
					golden.RequireEqual(t, screentest.Visible(l.model.View().Content))
				})
			}
		})
	}
}
