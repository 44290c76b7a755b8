package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/client"
	"wiki/tui"
	"wiki/tui/outbox"
)

// envSession tells this test binary that it is a curator's process, and what its session is.
const envSession = "OUTBOX_CRASH_SESSION"

const (
	// ahead is how many acts a curator makes that the server has not answered for: some of them are saved with one sync, and
	// they go on while the server is away.
	ahead = 12
	// again is the wait before an act is sent again. The server that is away comes back soon.
	again = 5 * time.Millisecond
)

// session is what a curator's process is told: where to work, and which steps of the script are left.
type session struct {
	Server, Key, File string
	Subjects          subjects
	First, End        int // steps; End is the first that is not of this session
}

// subjects are the articles that the script acts on.
type subjects struct {
	Pairs  [][2]uuid.UUID // in conflict
	Hidden uuid.UUID      // suppressed and shown again
	Edited uuid.UUID      // given one text after the other
}

// turns is how many acts a round has.
const turns = 5

// round is what the script goes through again and again. Done twice, each act leaves a second trace: another verdict,
// another version, another entry of the audit.
var round = [turns]struct {
	act  string // as the audit calls it
	make func(s session, n int) outbox.Act
}{
	{"conflict.judge", func(s session, n int) outbox.Act {
		pair := s.pair(n)
		return outbox.Act{Kind: outbox.Judge, Pair: pair.String(), Verdict: &api.NewVerdict{
			FirstID: pair.First, SecondID: pair.Second, Disposition: string(wiki.Supersede), Authoritative: &pair.First, Evidence: stepName(n),
		}}
	}},
	{"conflict.withdraw", func(s session, n int) outbox.Act {
		return outbox.Act{Kind: outbox.Withdraw, Pair: s.pair(n).String(), Of: stepName(n - 1), Back: true}
	}},
	{"article.suppress", func(s session, n int) outbox.Act {
		return outbox.Act{Kind: outbox.Suppress, Subject: &s.Subjects.Hidden, Reason: stepName(n)}
	}},
	{"article.unsuppress", func(s session, _ int) outbox.Act {
		return outbox.Act{Kind: outbox.Lift, Subject: &s.Subjects.Hidden}
	}},
	{"article.update", func(s session, n int) outbox.Act {
		text := textOf(n)
		return outbox.Act{Kind: outbox.Edit, Subject: &s.Subjects.Edited, Version: 1 + n/turns, Patch: &api.ArticlePatch{Body: &text}}
	}},
}

// stepName names a step, and is the idempotency key of its act: a step whose report was lost with its process is made
// again, by a process that cannot know better.
func stepName(n int) string { return fmt.Sprintf("step %06d", n) }

func textOf(n int) string { return "The text as step " + stepName(n) + " left it." }

func (s session) pair(n int) wiki.Pair {
	sides := s.Subjects.Pairs[n/turns%len(s.Subjects.Pairs)]
	return wiki.Pair{First: sides[0], Second: sides[1]}
}

func (s session) step(n int) outbox.Act {
	a := round[n%turns].make(s, n)
	a.Key, a.What, a.At = stepName(n), stepName(n), time.Now()
	return a
}

// curator is the process: it makes one act of the script after the other, some ahead of the server, and prints which ones
// are saved, and which are answered. At the end of its steps it waits until the server has answered for all.
func curator(told string) {
	var s session
	if err := json.Unmarshal([]byte(told), &s); err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("begun")
	c, err := client.New(s.Server, s.Key)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	b, err := outbox.Open(outbox.Config{Path: s.File, Deliver: tui.Deliver(c), Sleep: func(_ context.Context, _ time.Duration) bool {
		time.Sleep(again)
		return true
	}})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	s.work(c, b)
}

func (s session) work(c *client.Client, b *outbox.Box) {
	ctx := context.Background()
	known := map[string]bool{} // acts that this outbox has met: it knows what the server says of them
	next := s.First
	for _, a := range b.Pending() {
		known[a.Key] = true
		for stepName(next) <= a.Key {
			next++
		}
	}
	saved := next
	go b.Run(ctx)
	for {
		for ; next < s.End && len(b.Pending()) < ahead; next++ {
			a := s.step(next)
			if a.Of != "" && !known[a.Of] { // judged in an earlier session: the server's log has the verdict
				a.Of, a.ID = "", lastVerdict(ctx, c, a.Pair)
			}
			known[a.Key] = true
			b.Add(a)
		}
		if saved == s.End {
			b.Settled(ctx)
			fmt.Println("settled")
			return
		}
		e, err := b.Next(ctx)
		switch {
		case err != nil:
			fmt.Println("error", err)
			return
		case e.Saved:
			fmt.Println(e.Act.Key)
			saved++
		case e.Delivered != nil:
			fmt.Println("answered", e.Act.Key)
		case e.Unsaved != nil:
			fmt.Println("unsaved", e.Act.Key, e.Unsaved)
		case e.Refused != nil:
			fmt.Println("refused", e.Act.Key, e.Refused)
		}
	}
}

// lastVerdict finds the verdict of a pair that can be taken back.
func lastVerdict(ctx context.Context, c *client.Client, pair string) *uuid.UUID {
	for {
		list, _, err := c.Verdicts(ctx, api.VerdictQuery{Mine: true, State: "undoable"})
		for _, v := range list {
			if v.ConflictID == pair {
				return &v.ID
			}
		}
		if err == nil {
			return nil // the server will say so
		}
		time.Sleep(again)
	}
}
