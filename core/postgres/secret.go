package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
)

// secretBytes of a shared secret: as many as the digest that it keys.
const secretBytes = 32

const (
	makeSecretSQL = `insert into server_secrets (name, secret, inserted_at) values ($1, $2, $3) on conflict do nothing`
	readSecretSQL = `select secret from server_secrets where name = $1`
)

// Secret gives the secret of a name that all servers on this database share, and makes it when it is asked for first. It is
// never to be shown or logged.
func (db *DB) Secret(ctx context.Context, name string) (secret []byte, err error) {
	fresh := make([]byte, secretBytes)
	_, _ = rand.Read(fresh) // it never fails: without randomness the program ends
	err = db.System(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, makeSecretSQL, name, fresh, tx.Now); err != nil {
			return fmt.Errorf("make the secret %s: %w", name, err)
		}
		if err := tx.QueryRow(ctx, readSecretSQL, name).Scan(&secret); err != nil {
			return fmt.Errorf("read the secret %s: %w", name, err)
		}
		return nil
	})
	return secret, err
}
