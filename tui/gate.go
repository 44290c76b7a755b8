package tui

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/conflicts"
)

// gateKind is what keeps the curator from the screens.
type gateKind int

const (
	gateOpen    gateKind = iota // nothing
	gateMissing                 // no server or key is known
	gateSilent                  // the server does not answer, and never has in this session
	gateKey                     // it does not know the key
	gateExpired                 // the key has expired
	gateRefused                 // it refuses for another reason, such as a suspended tenant
	gateOlder                   // it speaks an older version of the API
	gateNewer                   // it speaks a newer one
)

// gate is a screen before there is a working connection. It opens and closes by itself.
type gate struct {
	kind gateKind
	why  string
}

// identified is a message: the server said what the key is, or not.
type identified struct {
	who api.Whoami
	err error
}

// Failure implements screen.Answer.
func (i identified) Failure() error { return i.err }

func (m *Model) identify() tea.Cmd {
	remote := m.cfg.Remote
	return m.env.Call(func(ctx context.Context) tea.Msg {
		who, err := remote.Whoami(ctx)
		return identified{who: who, err: err}
	})
}

func (m *Model) heardWho(i identified) tea.Cmd {
	if i.err != nil {
		if m.who.Tenant != "" {
			return nil // it worked before: the link says what is wrong, and the screens stay
		}
		m.setGate(gate{kind: gateOf(i.err), why: conflicts.Explain(i.err)})
		return m.retryLater()
	}
	switch compareVersions(i.who.APIVersion, api.Version) {
	case -1:
		m.setGate(gate{kind: gateOlder, why: i.who.APIVersion})
		return nil
	case 1:
		m.setGate(gate{kind: gateNewer, why: i.who.APIVersion})
		return nil
	}
	m.who, m.env.Who = i.who, i.who
	m.pair.SetRole(i.who.Role)
	if m.gate.kind == gateOpen {
		return m.readLog() // now that it is known whose acts they are
	}
	m.setGate(gate{})
	return m.resync()
}

// setGate changes the gate; keys in flight are not for what comes up.
func (m *Model) setGate(g gate) {
	if g.kind != m.gate.kind {
		m.calm.begin(m.cfg.Now())
	}
	m.gate = g
}

func gateOf(err error) gateKind {
	switch wiki.ErrorCode(err) {
	case wiki.CodeUnauthorized, wiki.CodeKeyMissing:
		return gateKey
	case wiki.CodeKeyExpired, wiki.CodeParentExpired:
		return gateExpired
	case wiki.CodeUnavailable:
		return gateSilent
	}
	return gateRefused
}

// compareVersions compares the API versions of server and client, which are whole numbers: -1 = the server is older. A
// version that is no number counts as newer.
func compareVersions(server, client string) int {
	if server == client {
		return 0
	}
	s, err := strconv.Atoi(server)
	c, _ := strconv.Atoi(client)
	if err == nil && s < c {
		return -1
	}
	return 1
}

// retry asks the server again, now.
func (m *Model) retry() tea.Cmd {
	if m.cfg.Remote == nil {
		return nil
	}
	cmds := []tea.Cmd{m.identify()}
	if m.stream.open == nil {
		cmds = append(cmds, m.openStream())
	}
	return tea.Batch(cmds...)
}

// gateText is what the gate's screen says: the first line is its title.
func (m *Model) gateText() []string {
	server := "Server: " + m.cfg.Server
	switch m.gate.kind {
	case gateMissing:
		return append([]string{"Welcome to wiki-tui"}, m.cfg.Missing...)
	case gateSilent:
		return []string{
			"The server does not answer", "", m.gate.why, server, "",
			"It is asked again by itself; r asks now.",
			"Acts from an earlier session are kept on this machine and sent as soon as it answers.",
		}
	case gateKey:
		return []string{
			"The server does not know this key", "", m.gate.why, server, "",
			"Ask whoever runs the server for a key of role user:  wiki-server key create NAME --role user",
			"Give it with --key-file FILE, or in the environment variable WIKI_KEY.",
		}
	case gateExpired:
		return []string{
			"This key has expired", "", m.gate.why, server, "",
			"Ask for a new one, or rotate it, and start again with the new key.",
			"Acts that the server has not taken are kept on this machine for the old key.",
		}
	case gateOlder:
		return []string{
			"The server is older than this workbench", "",
			"It speaks version " + m.gate.why + " of the API, wiki-tui speaks " + api.Version + ".", server, "",
			"Update the server, or use the wiki-tui of its release.",
		}
	case gateNewer:
		return []string{
			"The server is newer than this workbench", "",
			"It speaks version " + m.gate.why + " of the API, wiki-tui speaks " + api.Version + ".", server, "",
			"Install the wiki-tui of the server's release.",
		}
	}
	return []string{"The server refuses", "", m.gate.why, server, "", "r asks again."}
}
