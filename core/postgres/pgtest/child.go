package pgtest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
)

// What a child process is told, by the environment.
const (
	childDSN    = "WIKI_TEST_CHILD_DSN"
	childTenant = "WIKI_TEST_CHILD_TENANT"
	childTask   = "WIKI_TEST_CHILD_TASK"
)

// Task is what a process of its own does in a database until a test kills it.
type Task struct {
	DSN    string
	Tenant uuid.UUID
	On     string // what it works on, such as an id or a folder
}

// Child is a process that runs one test of this binary, which begins with Given. It has not been started.
func (k Task) Child(tb testing.TB, test string, flags ...string) *exec.Cmd {
	tb.Helper()
	child := exec.CommandContext(tb.Context(), os.Args[0], append(flags, "-test.run=^"+test+"$")...)
	child.Env = append(os.Environ(), childDSN+"="+k.DSN, childTenant+"="+k.Tenant.String(), childTask+"="+k.On)
	return child
}

// Given is the task of this process. A test in a process that is no child is skipped: it is no test, but what one starts.
func Given(tb testing.TB) Task {
	tb.Helper()
	k := Task{DSN: os.Getenv(childDSN), On: os.Getenv(childTask)}
	if k.DSN == "" {
		tb.Skip("runs only as a child of another test")
	}
	k.Tenant = uuid.MustParse(os.Getenv(childTenant))
	return k
}

// User is a user of the task's tenant.
func (k Task) User(agentID string) wiki.Actor {
	return wiki.Actor{Tenant: k.Tenant, Key: uuid.New(), Agent: agentID, Role: wiki.RoleUser}
}

// Kill ends a child that runs, as kill -9 does.
func Kill(tb testing.TB, child *exec.Cmd) {
	tb.Helper()
	require.NoError(tb, child.Process.Kill())
	require.Error(tb, child.Wait(), "it was killed")
}
