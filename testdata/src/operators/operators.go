// Command operators holds programs whose bodies return their input, which they hand to an operator that no call names: through a
// variable, a table, an interface, a type parameter, or that come a long way themselves. It runs them and prints the code with which
// the runtime refuses each.
//
// The analyzer finds those of which it knows where the call leads; of the others it says, in strict mode, that nothing is proved.
package main

import (
	"errors"
	"fmt"

	"github.com/hoplint/hoplint/runtime/hop"
)

type T = *hop.Tensor

func xs() T { return hop.Ones(hop.Float64, 3) }

type runner interface{ run(f func(T) T) T }
type mapRunner struct{ xs T }

func (m mapRunner) run(f func(T) T) T { return hop.Map(f, m.xs) }

func runMap(f func(T) T) T { return hop.Map(f, xs()) }

func P00() { var r runner = mapRunner{xs()}; r.run(func(x T) T { return x }) }                       // want HOP301
func P01() { run := func(f func(T) T) T { return hop.Map(f, xs()) }; run(func(x T) T { return x }) } // want HOP301
func P02() { run := runMap; run(func(x T) T { return x }) }                                          // want HOP301
func P03() {
	run := runMap
	if hop.Item[float64](xs().Sum()) < 0 {
		run = nil
	}
	run(func(x T) T { return x }) // want HOP301
}
func P04() { m := mapRunner{xs()}; f := m.run; f(func(x T) T { return x }) }                            // want HOP301
func P05() { ops := map[string]func(func(T) T) T{"map": runMap}; ops["map"](func(x T) T { return x }) } // want HOP301

type tab struct{ run func(func(T) T) T }

func P06() { t := tab{runMap}; t.run(func(x T) T { return x }) } // want HOP301

type Base struct{ runner }

func P07() { b := Base{mapRunner{xs()}}; b.run(func(x T) T { return x }) } // want HOP903; HOP301

func gen[R runner](r R) { r.run(func(x T) T { return x }) }
func P08()              { gen(mapRunner{xs()}) }                                // want HOP903
func P09()              { func() { defer runMap(func(x T) T { return x }) }() } // want HOP301

func call(g func(func(T) T) T) { g(func(x T) T { return x }) }                           // want HOP301
func P10()                     { call(runMap) }                                          // want HOP903
func P11()                     { call(func(f func(T) T) T { return hop.Map(f, xs()) }) } // want HOP903
func P12()                     { call(mapRunner{xs()}.run) }                             // want HOP903

func fromChan(ch chan func(T) T) { hop.Map(<-ch, xs()) }
func P13()                       { ch := make(chan func(T) T, 1); ch <- func(x T) T { return x }; fromChan(ch) }        // want HOP903
func P14()                       { ch := make(chan func(T) T, 1); ch <- func(x T) T { return x }; hop.Map(<-ch, xs()) } // want HOP301

func oper(m func(func(T) T, T, ...hop.Option) T) { m(func(x T) T { return x }, xs()) } // want HOP301
func P15()                                       { oper(hop.Map[T, T]) }               // want HOP903
func P16() {
	t := struct {
		m func(func(T) T, T, ...hop.Option) T
	}{hop.Map[T, T]}
	t.m(func(x T) T { return x }, xs()) // want HOP301
}

var runners = []runner{mapRunner{xs()}} // want HOP903

func P17() {
	for _, r := range runners {
		r.run(func(x T) T { return x })
	}
}

type trainer struct {
	loss func(T) T
	r    runner
}

func (t *trainer) train() { t.r.run(t.loss) }
func P18()                { (&trainer{func(x T) T { return x }, mapRunner{xs()}}).train() } // want HOP903

type trainer2 struct{ loss func(T) T }

func (t *trainer2) train() { hop.Map(t.loss, xs()) }
func P19()                 { (&trainer2{func(x T) T { return x }}).train() }                  // want HOP301
func P20()                 { t := &trainer2{}; t.loss = func(x T) T { return x }; t.train() } // want HOP301

type setter struct{ b func(T) T }

func (s *setter) with(f func(T) T) *setter { s.b = f; return s }
func (s *setter) run()                     { hop.Map(s.b, xs()) }
func P21()                                 { new(setter).with(func(x T) T { return x }).run() } // want HOP301

type anyBody struct{ b any }

func P22() { a := anyBody{func(x T) T { return x }}; hop.Map(a.b.(func(T) T), xs()) } // want HOP301

func pick(fs ...func(T) T) func(T) T { return fs[len(fs)-1] }
func P23()                           { hop.Map(pick(T.Neg, func(x T) T { return x }), xs()) } // want HOP301
func two() (func(T) T, error)        { return func(x T) T { return x }, nil }                 // want HOP301
func P24()                           { f, _ := two(); hop.Map(f, xs()) }
func P25()                           { hop.Map(hop.Checkpoint(func(x T) T { return x }), xs()) } // want HOP301
func P26() {
	hop.Map(func(x T) T { return hop.Map(func(x T) T { return x }, x.Unsqueeze(0)).Squeeze(0) }, xs()) // want HOP301
}

var registry = map[string]func(T) T{}

func init() { registry["id"] = func(x T) T { return x } }
func P27()  { hop.Map(registry["id"], xs()) } // want HOP903

type visitor interface{ visit(mapRunner) }
type vis struct{}

func (vis) visit(m mapRunner) { m.run(func(x T) T { return x }) } // want HOP301
func P28()                    { var v visitor = vis{}; v.visit(mapRunner{xs()}) }
func accept(v visitor)        { v.visit(mapRunner{xs()}) }

type visF struct{ f func(T) T }

func (v visF) visit(m mapRunner) { m.run(v.f) }
func P29()                       { accept(visF{func(x T) T { return x }}) } // want HOP903

var programs = []func(){P00, P01, P02, P03, P04, P05, P06, P07, P08, P09, P10, P11, P12, P13, P14, P15, P16, P17, P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29}

func main() {
	for i, program := range programs {
		var refused *hop.Error
		if err := hop.Try(program); errors.As(err, &refused) {
			fmt.Printf("P%02d %s\n", i, refused.Code)
		}
	}
}
