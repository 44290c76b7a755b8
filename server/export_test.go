package server

import (
	"reflect"
	"runtime"
	"strings"
)

// Description is the API's description as it is served.
func Description() ([]byte, error) {
	p, err := descriptionPage()
	return p.text, err
}

// QueryParameters are the names that the description has, by route.
func QueryParameters() map[string][]string {
	out := map[string][]string{}
	for route, o := range operations {
		for _, p := range o.query {
			out[route] = append(out[route], p.name)
		}
	}
	return out
}

// Bodies are the wire types of the bodies that the description has, by route.
func Bodies() map[string]any {
	out := map[string]any{}
	for route, o := range operations {
		out[route] = o.body
	}
	return out
}

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
