#include "textflag.h"

// A frame's saved frame pointer is at 0(R29), its return address at 8(R29). The frame pointer of the caller lies one
// word below its stack pointer, which this function without a frame shares. The upper bound of the stack is the second
// word of g.

// func Callers(pcs *[Max]uintptr) int
TEXT ·Callers(SB), NOSPLIT, $0-16
	MOVD pcs+0(FP), R0
	MOVD 8(g), R1
	SUB  $16, R1     // the highest place of a frame pointer and a return address
	MOVD RSP, R2
	SUB  $16, R2     // what the next frame pointer must lie above
	MOVD R29, R3
	MOVD $0, R4

next:
	CMP  R2, R3
	BLS  done
	CMP  R1, R3
	BHI  done
	MOVD 8(R3), R5
	MOVD.P R5, 8(R0)
	ADD  $1, R4
	CMP  $40, R4
	BGE  done
	MOVD R3, R2
	MOVD (R3), R3
	B    next

done:
	MOVD R4, ret+8(FP)
	RET
