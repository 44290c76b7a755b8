package keyword

import (
	"encoding/binary"
	"math"
)

// posting is one word in one article: the article's docno, how often the word stands in it, and the article's length. In
// this order it sorts by docno; its 8 bytes are kept big-endian.
type posting uint64

const (
	postingSize   = 8
	docnoShift    = 24 // 40 bits for the docno: a million changes a second would last twelve days, one a second 34,000 years
	tfShift       = 16
	maxPostingLen = math.MaxUint16 // a longer article counts as this long, in a packed row as well
)

func newPosting(docno int64, tf uint8, length int) posting {
	return posting(uint64(docno)<<docnoShift | uint64(tf)<<tfShift | uint64(min(length, maxPostingLen)))
}

func (p posting) docno() int64 { return int64(p >> docnoShift) }
func (p posting) tf() uint8    { return uint8(p >> tfShift) }
func (p posting) length() int  { return int(p & maxPostingLen) }

// block is a word's postings in a segment as they are stored, in order of docno.
type block []byte

func (b block) len() int         { return len(b) / postingSize }
func (b block) at(i int) posting { return posting(binary.BigEndian.Uint64(b[i*postingSize:])) }

func (b block) append(p posting) block { return binary.BigEndian.AppendUint64(b, uint64(p)) }
