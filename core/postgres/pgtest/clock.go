package pgtest

import (
	"sync/atomic"
	"time"
)

// Clock makes every transaction later than the one before, as the clock of one machine does, and lets a test jump ahead. The
// zero value is ready to use: Now is for postgres.Config.
type Clock struct{ last, ahead atomic.Int64 } // microseconds

// Now is a time that was not given before.
func (c *Clock) Now() time.Time {
	for {
		before := c.last.Load()
		next := max(time.Now().UnixMicro()+c.ahead.Load(), before+1)
		if c.last.CompareAndSwap(before, next) {
			return time.UnixMicro(next)
		}
	}
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) { c.ahead.Add(d.Microseconds()) }
