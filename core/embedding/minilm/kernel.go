package minilm

import "math"

// kernel is the set of inner loops for one kind of processor. All give the same results to about 1e-6.
type kernel struct {
	name       string
	rows, cols int // of a tile; rows divides no length: callers pad. cols divides every matrix width of the model

	// tile sets c[rows][cols] = bias[cols] + a[rows][k] * b[k][cols]. lda and ldc are in floats; b is a packed panel.
	tile func(k int, a *float32, lda int, b, bias, c *float32, ldc int)
	// softmax replaces row by its softmax. Its length is a multiple of 16.
	softmax func(row []float32)
	// gelu applies the Gaussian error linear unit. The length is a multiple of 8.
	gelu func(x []float32)
	// addNorm sets x = norm(x + h). The lengths are equal and a multiple of 8.
	addNorm func(x, h []float32, n layerNorm)
}

// bestKernel is the fastest that this processor can run.
func bestKernel() kernel { return kernels()[0] }

// multiply sets c[m][w.n] = bias + a[m][w.k]*w. m is a multiple of the kernel's rows; lda and ldc are row lengths.
func (kn *kernel) multiply(m int, a []float32, lda int, w *panels, bias, c []float32, ldc int) {
	for j := 0; j < w.n; j += kn.cols {
		panel := &w.d[j*w.k]
		for i := 0; i < m; i += kn.rows {
			kn.tile(w.k, &a[i*lda], lda, panel, &bias[j], &c[i*ldc+j], ldc)
		}
	}
}

// scalarKernel is the portable one: plain Go, correct everywhere, some ten times slower.
func scalarKernel() kernel {
	return kernel{name: "scalar", rows: 1, cols: scalarCols, tile: scalarTile, softmax: softmax, gelu: gelu, addNorm: addNorm}
}

func softmax(row []float32) {
	top := row[0]
	for _, v := range row[1:] {
		top = max(top, v)
	}
	var sum float32
	for i, v := range row {
		e := exp32(v - top)
		row[i] = e
		sum += e
	}
	scale := 1 / sum
	for i := range row {
		row[i] *= scale
	}
}

func gelu(x []float32) {
	for i, v := range x {
		x[i] = 0.5 * v * (1 + erf32(v*float32(1/math.Sqrt2)))
	}
}

// normEpsilon keeps the division finite (the model's own constant).
const normEpsilon = 1e-12

func addNorm(x, h []float32, n layerNorm) {
	var sum float32
	for i, v := range h {
		x[i] += v
		sum += x[i]
	}
	mean := sum / float32(len(x))
	var squares float32
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	scale := float32(1 / math.Sqrt(float64(squares/float32(len(x)))+normEpsilon))
	for i, v := range x {
		x[i] = (v-mean)*scale*n.gain[i] + n.shift[i]
	}
}

// exp32 is e^x to float accuracy for x <= 0 (Cephes' polynomial, the same as in the assembly).
func exp32(x float32) float32 {
	if x < -87 { // below the smallest normal float
		return 0
	}
	n := float32(math.RoundToEven(float64(x * math.Log2E)))
	f := x - n*0.693359375 + n*2.12194440e-4 // ln 2 in two parts, so that the difference keeps its digits
	p := float32(1.9875691500e-4)
	p = p*f + 1.3981999507e-3
	p = p*f + 8.3334519073e-3
	p = p*f + 4.1665795894e-2
	p = p*f + 1.6666665459e-1
	p = p*f + 5.0000001201e-1
	p = p*f*f + f + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// erf32 is the error function to float accuracy (Eigen's rational approximation on [-4, 4], the same as in the assembly).
func erf32(x float32) float32 {
	x = max(-4, min(4, x))
	x2 := x * x
	p := float32(-2.72614225801306e-10)
	p = p*x2 + 2.77068142495902e-08
	p = p*x2 + -2.10102402082508e-06
	p = p*x2 + -5.69250639462346e-05
	p = p*x2 + -7.34990630326855e-04
	p = p*x2 + -2.95459980854025e-03
	p = p*x2 + -1.60960333262415e-02
	q := float32(-1.45660718464996e-05)
	q = q*x2 + -2.13374055278905e-04
	q = q*x2 + -1.68282697438203e-03
	q = q*x2 + -7.37332916720468e-03
	q = q*x2 + -1.42647390514189e-02
	return x * p / q
}
