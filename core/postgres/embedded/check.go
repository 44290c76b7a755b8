package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Check says what stands in the way of Start, as far as that can be told without starting or making anything. The errors
// are those of Start.
func Check(config Config) error {
	c, err := newCluster(config)
	if err != nil {
		return err
	}
	if err := c.user.CanReach(filepath.Dir(c.config.Dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return c.pickInstall()
}
