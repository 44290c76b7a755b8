package outbox

import (
	"time"

	"github.com/google/uuid"

	"wiki/server/api"
)

// Kind is what an act asks of the server.
type Kind string

// Kinds.
const (
	Judge    Kind = "judge"    // record a verdict
	Withdraw Kind = "withdraw" // take back one that was not executed
	Revert   Kind = "revert"   // take back an executed supersede
	Execute  Kind = "execute"  // apply the verdicts that wait

	Approve Kind = "approve" // carry a bulk proposal out
	Reject  Kind = "reject"  // decide against one
	Recall  Kind = "recall"  // take one of one's own back

	Lift     Kind = "lift"     // a suppression
	Suppress Kind = "suppress" // takes back Lift

	Adopt   Kind = "adopt"   // make what was submitted the article's next version
	Drop    Kind = "drop"    // close a submission; the article stays as it is
	Restore Kind = "restore" // takes back Adopt or Edit: the version before it becomes the newest one

	Publish   Kind = "publish"   // a draft
	Unpublish Kind = "unpublish" // takes back Publish
	Discard   Kind = "discard"   // archive a draft
	Reopen    Kind = "reopen"    // takes back Discard: it is a draft again
	Edit      Kind = "edit"      // give an article another text
)

// Act is one thing that the curator did.
type Act struct {
	Key     string          `json:"key"` // idempotency key
	Kind    Kind            `json:"kind"`
	At      time.Time       `json:"at"`
	Pair    string          `json:"pair,omitempty"` // api.Conflict.ID
	What    string          `json:"what"`           // for people: "dismiss of A / B"
	Verdict *api.NewVerdict `json:"verdict,omitempty"`
	Of      string          `json:"of,omitempty"`         // key of the act that this one takes back, when its verdict is not known yet
	ID      *uuid.UUID      `json:"verdict_id,omitempty"` // the verdict that this act takes back, when it is known
	Batch   string          `json:"batch,omitempty"`      // names the acts that were given together, and are taken back together

	Subject  *uuid.UUID        `json:"subject,omitempty"`  // what an act on no pair is about: a proposal, an article, a submission
	Approval *api.Approval     `json:"approval,omitempty"` // of Approve
	Reason   string            `json:"reason,omitempty"`   // of Reject, Recall and Suppress; of Lift, why it was suppressed
	Article  *uuid.UUID        `json:"article,omitempty"`  // of Adopt: the article that it changes
	Version  int               `json:"version,omitempty"`  // that has to stand: of Edit, the one that was edited; of Restore, the one that is taken back
	Patch    *api.ArticlePatch `json:"patch,omitempty"`    // of Edit
	Back     bool              `json:"back,omitempty"`     // it takes back the act that Of names; else Of names what is done again
}

// Result is the server's answer to an act.
type Result struct {
	Verdict  *api.Verdict   // of Judge, Withdraw and Revert
	Executed *api.Executed  // of Execute
	Run      *api.BulkRun   // of Approve, as far as it went
	Counts   map[string]int // of Run, by outcome
	Made     int            // the version of the article that Adopt or Edit made; 0 when it changed nothing
}

// Event is what became of an act. Exactly one of the fields after Act tells which.
type Event struct {
	Act Act

	Saved     bool    // on disk: it survives from here on
	Unsaved   error   // could not be written: it was not done, and will not be sent
	Delivered *Result // the server accepted it
	Refused   error   // the server refused it: it was not done
	Held      *Hold   // the server gave no final answer: it will be sent again
}

// Hold says why an act waits.
type Hold struct {
	Err     error
	Stuck   bool // repeating alone will not help: the key or the tenant has to be mended
	Attempt int  // 1 = the first failed
	Wait    time.Duration
}
