#include "textflag.h"

// A frame's saved frame pointer is at 0(BP), its return address at 8(BP). The upper bound of the stack is the second
// word of g.

// func Callers(pcs *[Max]uintptr) int
TEXT ·Callers(SB), NOSPLIT, $0-16
	MOVQ pcs+0(FP), DI
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), CX
	MOVQ 8(CX), R8
	SUBQ $16, R8     // the highest place of a frame pointer and a return address
	MOVQ SP, R9      // what the next frame pointer must lie above
	MOVQ BP, BX
	XORQ AX, AX

next:
	CMPQ BX, R9
	JLS  done
	CMPQ BX, R8
	JHI  done
	MOVQ 8(BX), DX
	MOVQ DX, (DI)(AX*8)
	INCQ AX
	CMPQ AX, $40
	JGE  done
	MOVQ BX, R9
	MOVQ (BX), BX
	JMP  next

done:
	MOVQ AX, ret+8(FP)
	RET
