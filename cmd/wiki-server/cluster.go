package main

import "context"

// startCluster would start a private PostgreSQL.
func (a *app) startCluster(context.Context) (database, error) {
	return database{}, blocked(nil, "set DATABASE_URL", "this build has no private PostgreSQL")
}

// checkPrograms looks for what a private PostgreSQL needs.
func (a *app) checkPrograms() finding {
	_, err := a.startCluster(context.Background())
	return bad("database", err, "")
}
