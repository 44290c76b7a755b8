package local

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// User is who runs PostgreSQL when this process is root, which PostgreSQL refuses to be.
type User struct {
	Name     string
	UID, GID int
}

// fallbackUsers are tried in this order. A number without a name will not do: initdb looks its user up.
var fallbackUsers = []string{"postgres", "nobody"}

// ServiceUser gives the user that PostgreSQL has to run as, or nil when this process is no root and runs it itself. name
// is the operator's choice; empty means postgres, else nobody.
func ServiceUser(name string) (*User, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	names := fallbackUsers
	if name != "" {
		names = []string{name}
	}
	var failed error
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			failed = err
			continue
		}
		uid, err := strconv.Atoi(found.Uid)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.Atoi(found.Gid)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &User{Name: name, UID: uid, GID: gid}, nil
	}
	return nil, fmt.Errorf("PostgreSQL refuses to run as root and there is no other user for it (set one that exists): %w", failed)
}

// Credential is what a child process needs to run as u; nil stays as this process is.
func (u *User) Credential() *syscall.Credential {
	if u == nil {
		return nil
	}
	return &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID), Groups: []uint32{uint32(u.GID)}}
}

// Own hands a path to u; without u it already is this process's.
func (u *User) Own(path string) error {
	if u == nil {
		return nil
	}
	return os.Chown(path, u.UID, u.GID)
}

// CanReach checks that u may pass through every directory above path.
func (u *User) CanReach(path string) error {
	if u == nil {
		return nil
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 && !u.owns(info) {
			return fmt.Errorf("PostgreSQL runs as the user %s, who cannot enter %s (mode %v): use a directory elsewhere, such as one under /var/lib",
				u.Name, dir, info.Mode().Perm())
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func (u *User) owns(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == u.UID && info.Mode().Perm()&0o100 != 0
}
