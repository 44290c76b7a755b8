package markdown

import "slices"

// keep is how many rendered texts stay: the article read, those one step back, and a resize or two.
const keep = 12

// Key names a rendered text.
type Key struct {
	Article string // id
	Version int
	Width   int
	Theme   string
	Source  bool // as written
}

// Cache keeps the texts rendered last, so that only a change of version, width or theme renders again.
type Cache struct {
	keys []Key // the one used last at the end
	rows map[Key][]string
}

// Get finds a rendered text.
func (c *Cache) Get(k Key) ([]string, bool) {
	rows, ok := c.rows[k]
	if ok {
		c.touch(k)
	}
	return rows, ok
}

// Put keeps a rendered text and forgets the one not used for longest.
func (c *Cache) Put(k Key, rows []string) {
	if c.rows == nil {
		c.rows = map[Key][]string{}
	}
	c.rows[k] = rows
	c.touch(k)
	if len(c.keys) > keep {
		delete(c.rows, c.keys[0])
		c.keys = c.keys[1:]
	}
}

func (c *Cache) touch(k Key) {
	if i := slices.Index(c.keys, k); i >= 0 {
		c.keys = slices.Delete(c.keys, i, i+1)
	}
	c.keys = append(c.keys, k)
}
