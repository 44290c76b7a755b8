package eval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"wiki/core/embedding"
)

// Cache is an embedder that embeds each text once. With a file, what was embedded outlives the run: a measurement that was
// stopped goes on where it was, and one that is repeated takes seconds.
type Cache struct {
	inner embedding.Embedder
	mu    sync.Mutex
	known map[[sha256.Size]byte]embedding.Document
	file  *os.File // nil = memory only
}

const (
	cacheDirMode  = 0o700
	cacheFileMode = 0o600
	// maxCachedVectors bounds what one record may claim to hold, so that a broken file cannot ask for all memory.
	maxCachedVectors = 1 << 16
)

// NewCache wraps an embedder. path is the file, empty for none; one model has one file. Close it.
func NewCache(inner embedding.Embedder, path string) (*Cache, error) {
	c := &Cache{inner: inner, known: map[[sha256.Size]byte]embedding.Document{}}
	if path == "" {
		return c, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), cacheDirMode); err != nil {
		return nil, fmt.Errorf("make the directory of the vectors' cache: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, cacheFileMode)
	if err != nil {
		return nil, fmt.Errorf("open the vectors' cache: %w", err)
	}
	c.file = file
	if err := c.load(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return c, nil
}

// Close closes the file.
func (c *Cache) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// Model implements embedding.Embedder.
func (c *Cache) Model() embedding.Model { return c.inner.Model() }

// Embed implements embedding.Embedder; only texts that are not known yet are embedded.
func (c *Cache) Embed(ctx context.Context, texts []string) ([]embedding.Document, error) {
	docs := make([]embedding.Document, len(texts))
	var missing []string
	var places []int
	for i, text := range texts {
		if doc, ok := c.get(text); ok {
			docs[i] = doc
			continue
		}
		missing, places = append(missing, text), append(places, i)
	}
	if len(missing) == 0 {
		return docs, ctx.Err()
	}
	made, err := c.inner.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	for i, doc := range made {
		docs[places[i]] = doc
		if err := c.put(missing[i], doc); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// EmbedQuery implements embedding.Embedder. A query has a key of its own: an endpoint may embed it otherwise than a document.
func (c *Cache) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	const queryMark = "query\x00"
	if doc, ok := c.get(queryMark + query); ok {
		return doc.Whole, ctx.Err()
	}
	vector, err := c.inner.EmbedQuery(ctx, query)
	if err != nil {
		return nil, err
	}
	return vector, c.put(queryMark+query, embedding.Document{Whole: vector})
}

func (c *Cache) get(text string) (embedding.Document, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	doc, ok := c.known[sha256.Sum256([]byte(text))]
	return doc, ok
}

func (c *Cache) put(text string, doc embedding.Document) error {
	key := sha256.Sum256([]byte(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.known[key]; known {
		return nil
	}
	c.known[key] = doc
	if c.file == nil {
		return nil
	}
	if _, err := c.file.Write(cacheRecord(key, doc)); err != nil {
		return fmt.Errorf("write the vectors' cache: %w", err)
	}
	return nil
}

// cacheRecord is a document as the file keeps it: key, number of vectors, their length, the numbers, a checksum.
func cacheRecord(key [sha256.Size]byte, doc embedding.Document) []byte {
	vectors := append([][]float32{doc.Whole}, doc.Sections...)
	b := append([]byte{}, key[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(vectors)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(doc.Whole)))
	for _, v := range vectors {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// load reads the records up to the first that is broken, as the last one is after a crash, and cuts the file there.
func (c *Cache) load() error {
	raw, err := io.ReadAll(c.file)
	if err != nil {
		return fmt.Errorf("read the vectors' cache: %w", err)
	}
	good := 0
	for {
		key, doc, size, ok := readCacheRecord(raw[good:])
		if !ok {
			break
		}
		c.known[key] = doc
		good += size
	}
	if err := c.file.Truncate(int64(good)); err != nil {
		return fmt.Errorf("mend the vectors' cache: %w", err)
	}
	_, err = c.file.Seek(int64(good), io.SeekStart)
	return err
}

func readCacheRecord(raw []byte) (key [sha256.Size]byte, doc embedding.Document, size int, ok bool) {
	const head, number, sum = sha256.Size + 8, 4, 4
	if len(raw) < head {
		return key, doc, 0, false
	}
	copy(key[:], raw)
	count, dims := int(binary.LittleEndian.Uint32(raw[sha256.Size:])), int(binary.LittleEndian.Uint32(raw[sha256.Size+4:]))
	if count < 1 || count > maxCachedVectors || dims < 1 || dims > maxCachedVectors {
		return key, doc, 0, false
	}
	size = head + count*dims*number + sum
	if len(raw) < size || crc32.ChecksumIEEE(raw[:size-sum]) != binary.LittleEndian.Uint32(raw[size-sum:]) {
		return key, doc, 0, false
	}
	numbers := raw[head:]
	for i := range count {
		v := make([]float32, dims)
		for j := range v {
			v[j] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[(i*dims+j)*number:]))
		}
		if i == 0 {
			doc.Whole = v
		} else {
			doc.Sections = append(doc.Sections, v)
		}
	}
	return key, doc, size, true
}
