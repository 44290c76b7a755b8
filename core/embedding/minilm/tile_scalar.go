package minilm

import "unsafe"

const scalarCols = 16

// scalarTile is a tile of one row. The sixteen sums are separate variables, so that the compiler keeps them in registers.
func scalarTile(k int, a *float32, _ int, b, bias, c *float32, _ int) {
	// The caller guarantees the lengths: they are those of the packed matrices (see kernel.multiply).
	row := unsafe.Slice(a, k)
	panel := unsafe.Slice(b, k*scalarCols)
	start := (*[scalarCols]float32)(unsafe.Pointer(bias))
	s0, s1, s2, s3, s4, s5, s6, s7 := start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7]
	t0, t1, t2, t3, t4, t5, t6, t7 := start[8], start[9], start[10], start[11], start[12], start[13], start[14], start[15]
	for i, x := range row {
		r := (*[scalarCols]float32)(panel[i*scalarCols:])
		s0 += x * r[0]
		s1 += x * r[1]
		s2 += x * r[2]
		s3 += x * r[3]
		s4 += x * r[4]
		s5 += x * r[5]
		s6 += x * r[6]
		s7 += x * r[7]
		t0 += x * r[8]
		t1 += x * r[9]
		t2 += x * r[10]
		t3 += x * r[11]
		t4 += x * r[12]
		t5 += x * r[13]
		t6 += x * r[14]
		t7 += x * r[15]
	}
	*(*[scalarCols]float32)(unsafe.Pointer(c)) = [scalarCols]float32{s0, s1, s2, s3, s4, s5, s6, s7, t0, t1, t2, t3, t4, t5, t6, t7}
}
