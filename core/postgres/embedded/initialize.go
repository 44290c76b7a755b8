package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

const (
	superuser     = "postgres" // for bootstrap only
	ownerRole     = "wiki"
	ownerDatabase = "wiki"

	superuserSecret = "superuser.password"
	ownerSecret     = "password"
)

// initialize makes the data directory on the first start: aside and renamed, so that an initdb that was killed leaves
// nothing that looks whole.
func (c *Cluster) initialize(ctx context.Context) error {
	for _, name := range []string{superuserSecret, ownerSecret} {
		if err := c.ensureSecret(name); err != nil {
			return err
		}
	}
	var err error
	if c.password, err = c.secret(ownerSecret); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dataDir(), "PG_VERSION")); err == nil {
		return nil
	}
	aside := c.dataDir() + ".init"
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	// C.UTF-8 needs no locale package and, unlike C, folds the case of letters beyond ASCII.
	cmd := exec.CommandContext(ctx, filepath.Join(c.install.Bin, "initdb"), "-D", aside, "-U", superuser, "-A", "scram-sha-256",
		"--pwfile", filepath.Join(c.config.Dir, superuserSecret), "-E", "UTF8", "--locale=C.UTF-8", "--data-checksums")
	cmd.Dir, cmd.Env = c.config.Dir, c.install.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user.Credential(), Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("make the database: initdb: %w\n%s", err, lastLines(out)), os.RemoveAll(aside))
	}
	return os.Rename(aside, c.dataDir())
}

// ensureSecret makes a random password in a file that only PostgreSQL's user (and root) can read.
func (c *Cluster) ensureSecret(name string) error {
	path := filepath.Join(c.config.Dir, name)
	if content, err := os.ReadFile(path); err == nil && len(strings.TrimSpace(string(content))) > 0 {
		return nil
	}
	if err := os.WriteFile(path, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return err
	}
	return c.user.Own(path)
}

func (c *Cluster) secret(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(c.config.Dir, name))
	return strings.TrimSpace(string(content)), err
}

// bootstrap makes the wiki's login, its database, and what only a superuser can make in it. Each step finds what an
// interrupted one left.
func (c *Cluster) bootstrap(ctx context.Context) error {
	password, err := c.secret(superuserSecret)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, c.dsn(superuser, password, "postgres"))
	if err != nil {
		return err
	}
	err = c.makeOwner(ctx, conn)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	if conn, err = pgx.Connect(ctx, c.dsn(superuser, password, ownerDatabase)); err != nil {
		return err
	}
	err = postgres.Prepare(ctx, conn)
	if err == nil {
		_, err = conn.Exec(ctx, "grant "+postgres.AppRole+" to "+ownerRole)
	}
	return errors.Join(err, conn.Close(ctx))
}

// makeOwner gives the login the password of its file each time, so that the file is always the true one.
func (c *Cluster) makeOwner(ctx context.Context, conn *pgx.Conn) error {
	var hasRole, hasDatabase bool
	err := conn.QueryRow(ctx, `select exists (select from pg_roles where rolname = $1), exists (select from pg_database where datname = $2)`,
		ownerRole, ownerDatabase).Scan(&hasRole, &hasDatabase)
	if err != nil {
		return err
	}
	if !hasRole {
		if _, err := conn.Exec(ctx, "create role "+ownerRole); err != nil {
			return err
		}
	}
	var alter string // a statement that takes no parameters: the server quotes the password
	if err := conn.QueryRow(ctx, "select format('alter role %I login password %L', $1::text, $2::text)", ownerRole, c.password).Scan(&alter); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, alter); err != nil {
		return err
	}
	if !hasDatabase {
		_, err = conn.Exec(ctx, "create database "+ownerDatabase+" owner "+ownerRole)
	}
	return err
}
