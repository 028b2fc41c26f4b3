#include "textflag.h"

// func hasAVX() bool
// Intel SDM volume 1, 14.3: CPUID.1:ECX has OSXSAVE (bit 27) and AVX (bit 28), and XCR0 keeps XMM and YMM (bits 1, 2).
TEXT ·hasAVX(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18000000, CX
	CMPL CX, $0x18000000
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX
	CMPL AX, $6
	JNE  no
	MOVB $1, ret+0(FP)
	RET

no:
	MOVB $0, ret+0(FP)
	RET
