module hoplint.test

go 1.26.0

require github.com/hoplint/hoplint v0.0.0

require gonum.org/v1/gonum v0.17.0 // indirect

replace github.com/hoplint/hoplint => ../..
