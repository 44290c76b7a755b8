package minilm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The container is one file: the magic, the length of a JSON header (uint32, little endian), the header, the payload.
// The header names the model, its vocabulary and where each uint8 tensor lies in the payload.
const (
	magic          = "MLM1"
	prefixBytes    = len(magic) + 4
	maxHeaderBytes = 4 << 20 // the real one has 271 kB, most of it vocabulary
	maxDims        = 2
)

// ErrContainer is wrapped by every error about a model file that is damaged or is not a model file.
var ErrContainer = errors.New("the model file is damaged")

// Tensor is a matrix or vector of uint8 weights; a weight's value is byte*Scale + Min.
type Tensor struct {
	Name       string
	Shape      []int
	Min, Scale float32
	Data       []byte // row-major
}

type tensorHeader struct {
	Name       string
	Shape      []int
	Off        int // of the first byte, from the start of the payload
	Min, Scale float32
}

type header struct {
	Model   string
	Tensors []tensorHeader
	Vocab   string // word pieces, one a line; a piece's id is its line
}

type container struct {
	model   string
	vocab   []string
	tensors map[string]Tensor
}

// WriteContainer writes a model file.
func WriteContainer(w io.Writer, model string, vocab []string, tensors []Tensor) error {
	h := header{Model: model, Vocab: strings.Join(vocab, "\n")}
	off := 0
	for _, t := range tensors {
		h.Tensors = append(h.Tensors, tensorHeader{Name: t.Name, Shape: t.Shape, Off: off, Min: t.Min, Scale: t.Scale})
		off += len(t.Data)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encode the header: %w", err)
	}
	if len(text) > maxHeaderBytes {
		return fmt.Errorf("the header has %d bytes, at most %d are allowed", len(text), maxHeaderBytes)
	}
	prefix := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(text)))
	for _, part := range [][]byte{prefix, text} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// parseContainer reads a model file. Every length and offset in it is checked before it is used: a damaged file gives
// ErrContainer. The tensors share raw's memory.
func parseContainer(raw []byte) (container, error) {
	if len(raw) < prefixBytes || string(raw[:len(magic)]) != magic {
		return container{}, fmt.Errorf("%w: it does not begin with %s", ErrContainer, magic)
	}
	size := uint64(binary.LittleEndian.Uint32(raw[len(magic):]))
	rest := raw[prefixBytes:]
	if size > uint64(len(rest)) || size > maxHeaderBytes {
		return container{}, fmt.Errorf("%w: a header of %d bytes does not fit", ErrContainer, size)
	}
	var h header
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return container{}, fmt.Errorf("%w: header: %w", ErrContainer, err)
	}
	payload := rest[size:]
	c := container{model: h.Model, vocab: strings.Split(strings.TrimRight(h.Vocab, "\n"), "\n"), tensors: make(map[string]Tensor, len(h.Tensors))}
	for _, th := range h.Tensors {
		t, err := th.read(payload)
		if err != nil {
			return container{}, err
		}
		if _, twice := c.tensors[t.Name]; twice {
			return container{}, fmt.Errorf("%w: tensor %q is there twice", ErrContainer, t.Name)
		}
		c.tensors[t.Name] = t
	}
	return c, nil
}

func (th tensorHeader) read(payload []byte) (Tensor, error) {
	bad := func(what string) (Tensor, error) {
		return Tensor{}, fmt.Errorf("%w: tensor %q: %s", ErrContainer, th.Name, what)
	}
	if len(th.Shape) == 0 || len(th.Shape) > maxDims {
		return bad(fmt.Sprintf("%d dimensions", len(th.Shape)))
	}
	size := 1
	for _, n := range th.Shape {
		// Divided, not multiplied: a product of large lengths would wrap around.
		if n <= 0 || n > len(payload)/size {
			return bad(fmt.Sprintf("shape %v is outside the file", th.Shape))
		}
		size *= n
	}
	if th.Off < 0 || th.Off > len(payload)-size {
		return bad(fmt.Sprintf("offset %d is outside the file", th.Off))
	}
	if !finite(th.Min) || !finite(th.Scale) {
		return bad("its scale is not a number")
	}
	return Tensor{Name: th.Name, Shape: th.Shape, Min: th.Min, Scale: th.Scale, Data: payload[th.Off : th.Off+size]}, nil
}

// tensor gives the named tensor, or ErrContainer when it is missing or has another shape.
func (c container) tensor(name string, shape ...int) (Tensor, error) {
	t, ok := c.tensors[name]
	if !ok {
		return Tensor{}, fmt.Errorf("%w: tensor %q is missing", ErrContainer, name)
	}
	if !slices.Equal(t.Shape, shape) {
		return Tensor{}, fmt.Errorf("%w: tensor %q has shape %v, not %v", ErrContainer, name, t.Shape, shape)
	}
	return t, nil
}

// addRow decodes row i (of width len(dst)) and adds it to dst.
func (t Tensor) addRow(i int, dst []float32) {
	for j, b := range t.Data[i*len(dst) : (i+1)*len(dst)] {
		dst[j] += float32(b)*t.Scale + t.Min
	}
}

func (t Tensor) floats() []float32 {
	out := make([]float32, len(t.Data))
	for i, b := range t.Data {
		out[i] = float32(b)*t.Scale + t.Min
	}
	return out
}

func finite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }
