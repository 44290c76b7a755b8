package minilm

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// file builds a container around a header as text.
func file(header string, payload int) []byte {
	raw := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header)))
	return append(append(raw, header...), make([]byte, payload)...)
}

func TestDamagedFileIsAnErrorNeverAPanic(t *testing.T) {
	t.Parallel()
	whole := func(tensor string) []byte { return file(`{"Vocab":"[UNK]\n[CLS]\n[SEP]","Tensors":[`+tensor+`]}`, 8) }
	for name, raw := range map[string][]byte{
		"empty":                    nil,
		"other magic":              []byte("GGUF\x01\x00\x00\x00{}"),
		"cut in the prefix":        []byte("MLM1\x01"),
		"header longer than file":  append([]byte("MLM1"), 0xff, 0xff, 0xff, 0xff),
		"header is not JSON":       file("{", 0),
		"no special tokens":        file(`{"Vocab":"a\nb"}`, 0),
		"no tensors":               file(`{"Vocab":"[UNK]\n[CLS]\n[SEP]"}`, 0),
		"negative offset":          whole(`{"Name":"emb.word","Shape":[2,2],"Off":-1}`),
		"offset past the end":      whole(`{"Name":"emb.word","Shape":[2,2],"Off":5}`),
		"offset that wraps around": whole(`{"Name":"emb.word","Shape":[2,2],"Off":9223372036854775807}`),
		"no shape":                 whole(`{"Name":"emb.word","Off":0}`),
		"three dimensions":         whole(`{"Name":"emb.word","Shape":[1,1,1],"Off":0}`),
		"negative shape":           whole(`{"Name":"emb.word","Shape":[-2,-2],"Off":0}`),
		"zero shape":               whole(`{"Name":"emb.word","Shape":[0,4],"Off":0}`),
		"shape that wraps around":  whole(`{"Name":"emb.word","Shape":[4294967296,4294967296],"Off":0}`),
		"twice":                    whole(`{"Name":"a","Shape":[1],"Off":0},{"Name":"a","Shape":[1],"Off":1}`),
		"scale too large":          whole(`{"Name":"a","Shape":[1],"Off":0,"Scale":1e300}`),
		"wrong shape":              whole(`{"Name":"emb.word","Shape":[2,2],"Off":0}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(raw)
			require.ErrorIs(t, err, ErrContainer)
		})
	}
}

func TestCutFileIsAnError(t *testing.T) {
	t.Parallel()
	for _, n := range []int{len(embedded) - 1, len(embedded) / 2, 300_000, 270_958, 1000} {
		_, err := Load(embedded[:n])
		require.ErrorIs(t, err, ErrContainer, "cut to %d bytes", n)
	}
}

func TestContainerRoundTrip(t *testing.T) {
	t.Parallel()
	c, err := parseContainer(embedded)
	require.NoError(t, err)
	var tensors []Tensor
	for _, tensor := range c.tensors {
		tensors = append(tensors, tensor)
	}
	var out bytes.Buffer
	require.NoError(t, WriteContainer(&out, c.model, c.vocab, tensors))
	again, err := parseContainer(out.Bytes())
	require.NoError(t, err)
	require.Equal(t, c, again)
}

func FuzzContainer(f *testing.F) {
	f.Add([]byte("MLM1\x02\x00\x00\x00{}"))
	f.Add(file(`{"Vocab":"[UNK]\n[CLS]\n[SEP]","Tensors":[{"Name":"emb.word","Shape":[3,384],"Off":0,"Min":-1,"Scale":0.1}]}`, 3*Dims))
	f.Add(embedded[:300_000])
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := Load(raw); err != nil {
			require.ErrorIs(t, err, ErrContainer)
		}
	})
}
