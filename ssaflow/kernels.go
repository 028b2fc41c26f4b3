package ssaflow

import (
	"go/types"
	"strings"
)

// kernelRow is the row of an assembly kernel of gonum, which has no body to look at. The rows follow the documentation of the
// pure Go versions in gonum.org/v1/gonum/internal/asm v0.17.0.
func kernelRow(path string, fn *types.Func) (string, bool) {
	if !strings.Contains(path, "gonum.org/v1/gonum/internal/asm/") {
		return "", false
	}
	switch fn.Name() {
	case "Add", "AxpyUnitaryTo", "AxpyIncTo", "Div", "ScalUnitaryTo", "ScalIncTo":
		return "writes:0", true
	case "CumSum", "CumProd", "DivTo":
		return "writes:0 returns:0", true
	case "AddConst", "ScalUnitary", "ScalInc", "DscalUnitary", "DscalInc", "SscalUnitary", "SscalInc":
		return "writes:1", true
	case "AxpyUnitary", "AxpyInc":
		return "writes:2", true
	case "Ger":
		return "writes:7", true
	case "GemvN", "GemvT":
		return "writes:8", true
	case "DotUnitary", "DotInc", "DdotUnitary", "DdotInc", "DotcUnitary", "DotcInc", "DotuUnitary", "DotuInc", "Sum", "L1Norm", "L1NormInc", "L1Dist",
		"LinfDist", "L2NormUnitary", "L2NormInc", "L2DistanceUnitary":
		return "", true
	}
	return "", false
}
