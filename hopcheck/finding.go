package hopcheck

// Finding is a violation as data. Both halves fill it and neither writes the sentence: see [Finding.Message].
type Finding struct {
	Code Code
	// HOP is the operator, e.g. "scan"; empty for findings outside a HOP.
	HOP string
	// Body names the user function as messages do, e.g. "combine function"; see Body.Words.
	Body string
	// Places are what is written (HOP10x), read (HOP501) or stored (HOP402).
	Places []Place
	// Pairs are the aliases: an output and what it shares storage with (HOP30x).
	Pairs []Pair
	// Differences are the mismatches of HOP201, one for each leaf and facet.
	Differences []Difference
	// Into is where Places are stored (HOP402).
	Into Place
	// Home says where the written memory lives (HOP401, HOP402): a variable of main.
	Home string
	// Op is the operation, as the user wrote it: AddInPlace.
	Op string
	// Detail is the middle of the sentence for codes without fields of their own.
	Detail string
	// Remedy replaces the one derived from the code and the fields.
	Remedy string
}

// Pair is an output and the place that it shares storage with.
type Pair struct{ Out, With Place }

// Difference is one facet in which two leaves that must agree differ.
type Difference struct {
	// Got and Want are the two leaves.
	Got, Want Place
	// GotValue and WantValue describe them. The remedy follows from the forms: a dtype and shape as in float32[8 16], "a slice
	// of length 3", "missing" for a key, "nil" for a leaf without a tensor, a number or quoted text for a static field.
	GotValue, WantValue string
}
