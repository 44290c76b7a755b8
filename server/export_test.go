package server

// Routes lists the routes as "METHOD /path", for the tests that walk them all.
func Routes() []string {
	var out []string
	for _, r := range table() {
		out = append(out, r.method+" "+r.path)
	}
	return out
}
