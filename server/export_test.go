package server

import (
	"reflect"
	"runtime"
	"strings"
)

// Routes lists the routes as "METHOD /path", for the tests that walk them all.
func Routes() []string {
	var out []string
	for _, r := range table() {
		out = append(out, r.method+" "+r.path)
	}
	return out
}

// Handlers gives the name of each route's handler, so that a test can look for it in the source.
func Handlers() map[string]string {
	out := map[string]string{}
	for _, r := range table() {
		full := runtime.FuncForPC(reflect.ValueOf(r.handle).Pointer()).Name()
		out[r.method+" "+r.path] = full[strings.LastIndex(full, ".")+1:]
	}
	return out
}
