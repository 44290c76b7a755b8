package minilm

import "golang.org/x/sys/cpu"

// kernels lists what this processor can run, fastest first.
func kernels() []kernel {
	var list []kernel
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		avx2 := kernel{name: "avx2", rows: 6, cols: 16, tile: tile6x16, softmax: softmaxAVX2, gelu: geluAVX2, addNorm: addNormAVX2}
		if cpu.X86.HasAVX512F {
			wide := avx2
			wide.name, wide.rows, wide.cols, wide.tile = "avx512", 12, 32, tile12x32
			list = append(list, wide)
		}
		list = append(list, avx2)
	}
	return append(list, scalarKernel())
}

//go:noescape
func tile6x16(k int, a *float32, lda int, b, bias, c *float32, ldc int)

//go:noescape
func tile12x32(k int, a *float32, lda int, b, bias, c *float32, ldc int)

//go:noescape
func softmaxFloats(x *float32, n int)

//go:noescape
func geluFloats(x *float32, n int)

//go:noescape
func addNormFloats(x, h, gain, shift *float32, n int)

func softmaxAVX2(row []float32) { softmaxFloats(&row[0], len(row)) }

func geluAVX2(x []float32) { geluFloats(&x[0], len(x)) }

func addNormAVX2(x, h []float32, n layerNorm) {
	addNormFloats(&x[0], &h[0], &n.gain[0], &n.shift[0], len(x))
}
