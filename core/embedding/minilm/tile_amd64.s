#include "textflag.h"

// func tile6x16(k int, a *float32, lda int, b, bias, c *float32, ldc int)
//
// c[6][16] = bias[16] + a[6][k] * b[k][16], AVX2 and FMA. b is a packed panel: 16 floats a step of k.
//
// The twelve sums stay in Y0..Y11, two for each row of a. A step loads one row of b (Y12, Y13) and broadcasts one float
// of each row of a (Y14, Y15): 8 loads for 12 multiply-adds, so the multipliers are the limit, not the loads.
TEXT ·tile6x16(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ b+24(FP), DI
	MOVQ bias+32(FP), BX
	MOVQ c+40(FP), DX
	MOVQ ldc+48(FP), R9
	SHLQ $2, R8             // row lengths in bytes
	SHLQ $2, R9
	LEAQ (R8)(R8*2), R10
	LEAQ (SI)(R10*1), R11   // the fourth row of a
	VMOVUPS (BX), Y0
	VMOVUPS 32(BX), Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y1, Y3
	VMOVAPS Y0, Y4
	VMOVAPS Y1, Y5
	VMOVAPS Y0, Y6
	VMOVAPS Y1, Y7
	VMOVAPS Y0, Y8
	VMOVAPS Y1, Y9
	VMOVAPS Y0, Y10
	VMOVAPS Y1, Y11
step:
	VMOVUPS (DI), Y12
	VMOVUPS 32(DI), Y13
	VBROADCASTSS (SI), Y14
	VBROADCASTSS (SI)(R8*1), Y15
	VFMADD231PS Y12, Y14, Y0
	VFMADD231PS Y13, Y14, Y1
	VFMADD231PS Y12, Y15, Y2
	VFMADD231PS Y13, Y15, Y3
	VBROADCASTSS (SI)(R8*2), Y14
	VBROADCASTSS (R11), Y15
	VFMADD231PS Y12, Y14, Y4
	VFMADD231PS Y13, Y14, Y5
	VFMADD231PS Y12, Y15, Y6
	VFMADD231PS Y13, Y15, Y7
	VBROADCASTSS (R11)(R8*1), Y14
	VBROADCASTSS (R11)(R8*2), Y15
	VFMADD231PS Y12, Y14, Y8
	VFMADD231PS Y13, Y14, Y9
	VFMADD231PS Y12, Y15, Y10
	VFMADD231PS Y13, Y15, Y11
	ADDQ $4, SI
	ADDQ $4, R11
	ADDQ $64, DI
	DECQ CX
	JNZ step
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	ADDQ R9, DX
	VMOVUPS Y2, (DX)
	VMOVUPS Y3, 32(DX)
	ADDQ R9, DX
	VMOVUPS Y4, (DX)
	VMOVUPS Y5, 32(DX)
	ADDQ R9, DX
	VMOVUPS Y6, (DX)
	VMOVUPS Y7, 32(DX)
	ADDQ R9, DX
	VMOVUPS Y8, (DX)
	VMOVUPS Y9, 32(DX)
	ADDQ R9, DX
	VMOVUPS Y10, (DX)
	VMOVUPS Y11, 32(DX)
	VZEROUPPER
	RET

// One row of a in tile12x32: broadcast a float, multiply it with the two halves of b's row, add to the row's two sums.
#define ROW(address, first, second) \
	VBROADCASTSS address, Z26; \
	VFMADD231PS Z24, Z26, first; \
	VFMADD231PS Z25, Z26, second

#define STORE(first, second) \
	VMOVUPS first, (DX); \
	VMOVUPS second, 64(DX); \
	ADDQ R9, DX

// func tile12x32(k int, a *float32, lda int, b, bias, c *float32, ldc int)
//
// The same for AVX-512: c[12][32] = bias[32] + a[12][k] * b[k][32], with the 24 sums in Z0..Z23.
TEXT ·tile12x32(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ b+24(FP), DI
	MOVQ bias+32(FP), BX
	MOVQ c+40(FP), DX
	MOVQ ldc+48(FP), R9
	SHLQ $2, R8
	SHLQ $2, R9
	LEAQ (R8)(R8*2), R10
	LEAQ (SI)(R10*1), R11   // rows 3, 6 and 9 of a
	LEAQ (R11)(R10*1), R12
	LEAQ (R12)(R10*1), R13
	VMOVUPS (BX), Z0
	VMOVUPS 64(BX), Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z1, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z1, Z5
	VMOVAPS Z0, Z6
	VMOVAPS Z1, Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z1, Z9
	VMOVAPS Z0, Z10
	VMOVAPS Z1, Z11
	VMOVAPS Z0, Z12
	VMOVAPS Z1, Z13
	VMOVAPS Z0, Z14
	VMOVAPS Z1, Z15
	VMOVAPS Z0, Z16
	VMOVAPS Z1, Z17
	VMOVAPS Z0, Z18
	VMOVAPS Z1, Z19
	VMOVAPS Z0, Z20
	VMOVAPS Z1, Z21
	VMOVAPS Z0, Z22
	VMOVAPS Z1, Z23
step:
	VMOVUPS (DI), Z24
	VMOVUPS 64(DI), Z25
	ROW((SI), Z0, Z1)
	ROW((SI)(R8*1), Z2, Z3)
	ROW((SI)(R8*2), Z4, Z5)
	ROW((R11), Z6, Z7)
	ROW((R11)(R8*1), Z8, Z9)
	ROW((R11)(R8*2), Z10, Z11)
	ROW((R12), Z12, Z13)
	ROW((R12)(R8*1), Z14, Z15)
	ROW((R12)(R8*2), Z16, Z17)
	ROW((R13), Z18, Z19)
	ROW((R13)(R8*1), Z20, Z21)
	ROW((R13)(R8*2), Z22, Z23)
	ADDQ $4, SI
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ $4, R13
	ADDQ $128, DI
	DECQ CX
	JNZ step
	STORE(Z0, Z1)
	STORE(Z2, Z3)
	STORE(Z4, Z5)
	STORE(Z6, Z7)
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	STORE(Z16, Z17)
	STORE(Z18, Z19)
	STORE(Z20, Z21)
	STORE(Z22, Z23)
	VZEROUPPER
	RET
