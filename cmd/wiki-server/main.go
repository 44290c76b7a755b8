// Command wiki-server runs the wiki: the server itself, and the commands that an operator needs around it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the build (-ldflags -X main.version=...).
var version = "dev"

func main() {
	// The first signal asks for a clean stop; a second one, when stop has been called, ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
