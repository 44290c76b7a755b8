// Package embedded runs a private PostgreSQL as a child of this process: made on the first start, reached by a unix socket
// that only its user may enter, stopped with the server whatever way that ends. It never touches a data directory that it
// cannot serve. The rules it follows were each measured; they stand where they are used.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"wiki/core/postgres/internal/local"
)

// Defaults of Config.
const (
	DefaultStartTimeout = 60 * time.Second // for recovery after a crash, too
	DefaultStopTimeout  = 30 * time.Second // for clients to be sent away and the last checkpoint
)

// Errors that a caller may tell apart; each comes wrapped with what to do about it.
var (
	ErrInUse        = errors.New("the data directory is in use")
	ErrNotInstalled = errors.New("no usable PostgreSQL is installed")
	ErrOtherMajor   = errors.New("the data directory was made by another major version of PostgreSQL")
	ErrUnreachable  = errors.New("the data directory cannot be used from here")
)

// Config says where the cluster lives. The zero value of a field stands for its default.
type Config struct {
	Dir          string            // the cluster's directory: data, socket, passwords, log; default Home()/database
	BinDirs      []string          // where to look for PostgreSQL, each may hold *; default: see local.Find
	RunAs        string            // the user to run as when this process is root; default postgres, else nobody
	Port         int               // also listen on this port of 127.0.0.1; 0: by socket only
	Settings     map[string]string // PostgreSQL's settings, over the ones made for this machine
	StartTimeout time.Duration
	StopTimeout  time.Duration
}

// Cluster is a running PostgreSQL.
type Cluster struct {
	config   Config
	install  local.Install
	user     *local.User
	lock     *os.File
	socket   string // directory
	password string // of the owner's login
	cmd      *exec.Cmd
	done     chan struct{}
	exit     error // valid once done is closed
	stop     func() error
}

// Home is the directory for the wiki's own files: $WIKI_HOME, else /var/lib/wiki for root, else ~/.local/share/wiki.
func Home() (string, error) { return local.Home() }

// Start brings the cluster up and returns when it answers. On the first start it makes it, which takes a few seconds. The
// context bounds the start only. Errors: ErrInUse, ErrNotInstalled, ErrOtherMajor, ErrUnreachable, or what PostgreSQL said.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	c, err := newCluster(config)
	if err != nil {
		return nil, err
	}
	// The lock comes first: all that follows relies on being alone here.
	if err := c.takeDir(); err != nil {
		return nil, err
	}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.lock.Close())
	}
	return c, nil
}

func newCluster(config Config) (*Cluster, error) {
	if config.Dir == "" {
		home, err := Home()
		if err != nil {
			return nil, err
		}
		config.Dir = filepath.Join(home, "database")
	}
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	config.Dir = dir
	if config.StartTimeout == 0 {
		config.StartTimeout = DefaultStartTimeout
	}
	if config.StopTimeout == 0 {
		config.StopTimeout = DefaultStopTimeout
	}
	user, err := local.ServiceUser(config.RunAs)
	if err != nil {
		return nil, err
	}
	c := &Cluster{config: config, user: user, done: make(chan struct{})}
	c.stop = sync.OnceValue(c.stopOnce)
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.StartTimeout)
	defer cancel()
	if err := c.pickInstall(); err != nil {
		return err
	}
	if err := c.initialize(ctx); err != nil {
		return err
	}
	if err := c.clearStale(ctx); err != nil {
		return err
	}
	if err := c.makeSocketDir(); err != nil {
		return err
	}
	if err := c.launch(ctx); err != nil {
		return errors.Join(err, c.removeSocketDir())
	}
	if err := c.bootstrap(ctx); err != nil {
		return errors.Join(fmt.Errorf("prepare the database: %w", err), c.Stop())
	}
	return nil
}

// DSN is the login of the wiki's own role, who owns the database. It holds the password: not for a log.
func (c *Cluster) DSN() string { return c.dsn(ownerRole, c.password, ownerDatabase) }

func (c *Cluster) dsn(user, password, database string) string {
	return fmt.Sprintf("host='%s' port=%d user=%s password=%s dbname=%s sslmode=disable", c.socket, c.port(), user, password, database)
}

// defaultPort names the socket's file when nothing listens on a port.
const defaultPort = 5432

func (c *Cluster) port() int {
	if c.config.Port != 0 {
		return c.config.Port
	}
	return defaultPort
}

func (c *Cluster) portText() string { return strconv.Itoa(c.port()) }

// Dir is the cluster's directory.
func (c *Cluster) Dir() string { return c.config.Dir }

// LogFile is where PostgreSQL writes its log.
func (c *Cluster) LogFile() string { return filepath.Join(c.config.Dir, "postgres.log") }

func (c *Cluster) dataDir() string { return filepath.Join(c.config.Dir, "data") }

// Done is closed when PostgreSQL has ended, wanted or not.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Err says how PostgreSQL ended; nil while it runs and after a clean stop.
func (c *Cluster) Err() error {
	select {
	case <-c.done:
		return c.exit
	default:
		return nil
	}
}

// Stop ends PostgreSQL: open transactions are rolled back, what was committed is on disk. It may be called more than once.
func (c *Cluster) Stop() error { return c.stop() }
