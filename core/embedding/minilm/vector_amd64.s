#include "textflag.h"

// Constants, one float each; the offsets are named below. Values and sources: exp32 and erf32 in kernel.go.
DATA constants<>+0(SB)/4, $0xaf95df0b   // erf numerator, highest power first
DATA constants<>+4(SB)/4, $0x32edffee
DATA constants<>+8(SB)/4, $0xb60cff51
DATA constants<>+12(SB)/4, $0xb86ec2d2
DATA constants<>+16(SB)/4, $0xba40ac63
DATA constants<>+20(SB)/4, $0xbb41a1f6
DATA constants<>+24(SB)/4, $0xbc83dbd4
DATA constants<>+28(SB)/4, $0xb77460cd  // erf denominator
DATA constants<>+32(SB)/4, $0xb95fbd29
DATA constants<>+36(SB)/4, $0xbadc924e
DATA constants<>+40(SB)/4, $0xbbf19bf8
DATA constants<>+44(SB)/4, $0xbc69b6a7
DATA constants<>+48(SB)/4, $0x39506967  // exp
DATA constants<>+52(SB)/4, $0x3ab743ce
DATA constants<>+56(SB)/4, $0x3c088908
DATA constants<>+60(SB)/4, $0x3d2aa9c1
DATA constants<>+64(SB)/4, $0x3e2aaaaa
DATA constants<>+68(SB)/4, $0x3f000000
DATA constants<>+72(SB)/4, $0x3f3504f3  // 1/sqrt(2)
DATA constants<>+76(SB)/4, $0x3f000000  // 0.5
DATA constants<>+80(SB)/4, $0xc0800000  // -4
DATA constants<>+84(SB)/4, $0x40800000  // 4
DATA constants<>+88(SB)/4, $0x3fb8aa3b  // log2(e)
DATA constants<>+92(SB)/4, $0x3f318000  // ln(2), high part
DATA constants<>+96(SB)/4, $0xb95e8083  // ln(2), low part
DATA constants<>+100(SB)/4, $0x3f800000 // 1
DATA constants<>+104(SB)/4, $0xc2ae0000 // -87
DATA constants<>+108(SB)/4, $127        // exponent bias, an integer
DATA constants<>+112(SB)/4, $0x2b8cbccc // 1e-12
GLOBL constants<>(SB), RODATA, $116

#define ERF_P 0
#define ERF_Q 28
#define EXP_P 48

// One step of Horner's rule: sum = sum*x + the constant at offset.
#define HORNER(offset, x, sum, spare) \
	VBROADCASTSS offset(R8), spare; \
	VFMADD213PS spare, x, sum

// The sum of the eight floats of Y14 into every one of them; uses Y0.
#define SUM_Y14 \
	VPERM2F128 $1, Y14, Y14, Y0; \
	VADDPS Y0, Y14, Y14; \
	VHADDPS Y14, Y14, Y14; \
	VHADDPS Y14, Y14, Y14

// func geluFloats(x *float32, n int)
// x = 0.5 * x * (1 + erf(x/sqrt(2))); n is a multiple of 8.
TEXT ·geluFloats(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	LEAQ constants<>(SB), R8
	VBROADCASTSS 72(R8), Y15
	VBROADCASTSS 76(R8), Y14
	VBROADCASTSS 80(R8), Y13
	VBROADCASTSS 84(R8), Y12
next:
	VMOVUPS (DI), Y0
	VMULPS Y15, Y0, Y1
	VMAXPS Y13, Y1, Y1
	VMINPS Y12, Y1, Y1
	VMULPS Y1, Y1, Y2
	VBROADCASTSS ERF_P(R8), Y3
	HORNER(ERF_P+4, Y2, Y3, Y4)
	HORNER(ERF_P+8, Y2, Y3, Y4)
	HORNER(ERF_P+12, Y2, Y3, Y4)
	HORNER(ERF_P+16, Y2, Y3, Y4)
	HORNER(ERF_P+20, Y2, Y3, Y4)
	HORNER(ERF_P+24, Y2, Y3, Y4)
	VBROADCASTSS ERF_Q(R8), Y5
	HORNER(ERF_Q+4, Y2, Y5, Y6)
	HORNER(ERF_Q+8, Y2, Y5, Y6)
	HORNER(ERF_Q+12, Y2, Y5, Y6)
	HORNER(ERF_Q+16, Y2, Y5, Y6)
	VMULPS Y1, Y3, Y3
	VDIVPS Y5, Y3, Y3       // erf
	VMULPS Y14, Y0, Y0      // x/2
	VFMADD213PS Y0, Y0, Y3  // erf*x/2 + x/2
	VMOVUPS Y3, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ next
	VZEROUPPER
	RET

// func softmaxFloats(x *float32, n int)
// Three passes: the maximum, exp(x-maximum) and its sum, the division; n is a multiple of 8.
TEXT ·softmaxFloats(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	LEAQ constants<>(SB), R8
	MOVQ DI, SI
	MOVQ CX, DX
	VMOVUPS (SI), Y15
greatest:
	VMAXPS (SI), Y15, Y15
	ADDQ $32, SI
	SUBQ $8, DX
	JNZ greatest
	VPERM2F128 $1, Y15, Y15, Y0
	VMAXPS Y0, Y15, Y15
	VPERMILPS $0x4e, Y15, Y0
	VMAXPS Y0, Y15, Y15
	VPERMILPS $0xb1, Y15, Y0
	VMAXPS Y0, Y15, Y15
	VXORPS Y14, Y14, Y14
	VBROADCASTSS 104(R8), Y13
	VBROADCASTSS 88(R8), Y12
	VBROADCASTSS 92(R8), Y11
	VBROADCASTSS 96(R8), Y10
	VBROADCASTSS 100(R8), Y9
	VPBROADCASTD 108(R8), Y8
	MOVQ DI, SI
	MOVQ CX, DX
exponent:
	VMOVUPS (SI), Y0
	VSUBPS Y15, Y0, Y0
	VMAXPS Y13, Y0, Y0
	VMULPS Y12, Y0, Y1
	VROUNDPS $0, Y1, Y1        // e^x = 2^n * e^f with |f| <= ln(2)/2
	VFNMADD231PS Y11, Y1, Y0
	VFNMADD231PS Y10, Y1, Y0
	VMULPS Y0, Y0, Y2
	VBROADCASTSS EXP_P(R8), Y3
	HORNER(EXP_P+4, Y0, Y3, Y4)
	HORNER(EXP_P+8, Y0, Y3, Y4)
	HORNER(EXP_P+12, Y0, Y3, Y4)
	HORNER(EXP_P+16, Y0, Y3, Y4)
	HORNER(EXP_P+20, Y0, Y3, Y4)
	VFMADD213PS Y0, Y2, Y3
	VADDPS Y9, Y3, Y3
	VCVTPS2DQ Y1, Y1
	VPADDD Y8, Y1, Y1
	VPSLLD $23, Y1, Y1         // 2^n, built from its bits
	VMULPS Y1, Y3, Y3
	VADDPS Y3, Y14, Y14
	VMOVUPS Y3, (SI)
	ADDQ $32, SI
	SUBQ $8, DX
	JNZ exponent
	SUM_Y14
	VDIVPS Y14, Y9, Y14
scale:
	VMULPS (DI), Y14, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ scale
	VZEROUPPER
	RET

// func addNormFloats(x, h, gain, shift *float32, n int)
// x = (x + h), brought to mean 0 and variance 1, times gain plus shift; n is a multiple of 8.
TEXT ·addNormFloats(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), DI
	MOVQ h+8(FP), SI
	MOVQ gain+16(FP), R9
	MOVQ shift+24(FP), R10
	MOVQ n+32(FP), CX
	LEAQ constants<>(SB), R8
	VCVTSI2SSQ CX, X13, X13
	VBROADCASTSS X13, Y13      // n
	VXORPS Y14, Y14, Y14
	MOVQ DI, R11
	MOVQ CX, DX
add:
	VMOVUPS (R11), Y0
	VADDPS (SI), Y0, Y0
	VMOVUPS Y0, (R11)
	VADDPS Y0, Y14, Y14
	ADDQ $32, R11
	ADDQ $32, SI
	SUBQ $8, DX
	JNZ add
	SUM_Y14
	VDIVPS Y13, Y14, Y15       // mean
	VXORPS Y14, Y14, Y14
	MOVQ DI, R11
	MOVQ CX, DX
squares:
	VMOVUPS (R11), Y0
	VSUBPS Y15, Y0, Y0
	VFMADD231PS Y0, Y0, Y14
	ADDQ $32, R11
	SUBQ $8, DX
	JNZ squares
	SUM_Y14
	VDIVPS Y13, Y14, Y14       // variance
	VBROADCASTSS 112(R8), Y0
	VADDPS Y0, Y14, Y14
	VSQRTPS Y14, Y14
	VBROADCASTSS 100(R8), Y0
	VDIVPS Y14, Y0, Y14
norm:
	VMOVUPS (DI), Y0
	VSUBPS Y15, Y0, Y0
	VMULPS Y14, Y0, Y0
	VMOVUPS (R9), Y1
	VFMADD213PS (R10), Y1, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	ADDQ $32, R9
	ADDQ $32, R10
	SUBQ $8, CX
	JNZ norm
	VZEROUPPER
	RET
