package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hoplint/hoplint/hopcheck"
)

// Claim is what the //hop: directives of one function, interface method or function-typed field declare, with
// parameters by number. It is part of a fact and so holds slices and plain values only.
type Claim struct {
	// Pure and Returns say nothing if they are unset.
	Pure    bool
	Mutates []ClaimPlace
	Returns []ClaimResult
	Bodies  []ClaimBody
}

// ClaimPlace is a place below a parameter. Parameters are counted as in go/ssa: the receiver first.
type ClaimPlace struct {
	Param int
	Path  string
}

// ClaimResult is what a result may share storage with.
type ClaimResult struct {
	Fresh bool
	Views []ClaimPlace
}

// ClaimBody says that a parameter, or a function-typed field of it, is the body of a HOP and which roles its parameters and
// results have. A slot without a role is none of the HOP's business.
type ClaimBody struct {
	Param int
	// Path leads from the parameter to the field, as in ".Step".
	Path string
	// Method is the method of what lies there that is the body; empty where a function is.
	Method string
	// HOP is the operator and Words the function, for messages.
	HOP, Words string
	In, Out    []hopcheck.Slot
	// Stepwise is true when every HOP call that the parameter is handed to runs it step by step.
	Stepwise bool
}

// claims are the declarations of one package.
type claims struct {
	// list holds the functions, methods and fields that declare something, in the order of the source.
	list []declared
	bad  []badDirective
	// seen are the directives that stand on a declaration.
	seen map[token.Pos]bool
}

type declared struct {
	// object is a *types.Func or, for a function-typed struct field, a *types.Var.
	object types.Object
	claim  Claim
	pos    token.Pos
}

// readClaims collects the directives of a package's functions, interface methods and function-typed fields.
func readClaims(files []*ast.File, info *types.Info) claims {
	c := claims{seen: map[token.Pos]bool{}}
	for _, file := range files {
		if !mentionsDirective(file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				c.add(n.Doc, info.Defs[n.Name])
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						c.add(m.Doc, info.Defs[name])
					}
				}
			case *ast.StructType:
				for _, f := range n.Fields.List {
					for _, name := range f.Names {
						c.add(f.Doc, info.Defs[name])
					}
				}
			}
			return true
		})
	}
	return c
}

// add reads the directives of one declaration. Lines that cannot be read at all are reported by the suppressions, which
// see every comment of the file.
func (c *claims) add(doc *ast.CommentGroup, object types.Object) {
	directives, _ := readDirectives(doc)
	if len(directives) == 0 || object == nil {
		return
	}
	signature, isFunc := object.Type().Underlying().(*types.Signature)
	var claim Claim
	found := false
	for _, d := range directives {
		c.seen[d.Pos] = true
		if d.Verb == "allow" {
			continue
		}
		err := wrong("declare it of a function, or of a field that holds one", "//hop:%s stands on field %s, which is no function", d.Verb, object.Name())
		if isFunc {
			err = claim.apply(d, object, signature)
		}
		if err != nil {
			c.bad = append(c.bad, d.bad(err))
			continue
		}
		found = true
	}
	if found {
		c.list = append(c.list, declared{object, claim, object.Pos()})
	}
}

// apply adds what one directive says.
func (c *Claim) apply(d directive, object types.Object, signature *types.Signature) error {
	if err := c.sameClaim(&d, object); err != nil {
		return err
	}
	switch d.Verb {
	case "pure":
		c.Pure = true
	case "mutates":
		for _, p := range d.Mutates {
			place, err := resolvePlace(p, &d, signature)
			if err != nil {
				return err
			}
			if t := paramVar(signature, place.Param).Type(); refersToNothing(t) {
				return wrong("remove it, or hand over a pointer", "//hop:mutates: %s is a copy, so that the caller sees no write to it", p.Name)
			}
			if c.repeats(place) {
				return wrong("remove one of them", "//hop:mutates names %s twice", p.Name+p.Path)
			}
			c.Mutates = append(c.Mutates, place)
		}
	case "returns":
		if got, want := len(d.Returns), signature.Results().Len(); got != want {
			if want == 0 {
				return wrong("remove it", "//hop:returns speaks of a result, %s has none", object.Name())
			}
			return wrong("write one entry for each result, as in //hop:returns "+strings.Join(slices.Repeat([]string{"fresh"}, want), ", "),
				"//hop:returns speaks of %d results, %s has %d", got, object.Name(), want)
		}
		for i, r := range d.Returns {
			result := ClaimResult{Fresh: r.Fresh}
			for _, p := range r.Views {
				place, err := resolvePlace(p, &d, signature, "fresh", "view")
				if err != nil {
					return err
				}
				if t := signature.Results().At(i).Type(); refersToNothing(t) {
					return wrong("write fresh for it", "//hop:returns: a result of type %s shares storage with nothing", types.TypeString(t, (*types.Package).Name))
				}
				result.Views = append(result.Views, place)
			}
			c.Returns = append(c.Returns, result)
		}
	case "body":
		param, err := resolvePlace(d.Body.Param, &d, signature)
		if err != nil {
			return err
		}
		name := d.Body.Param.Name + d.Body.Param.Path
		fn := funcAt(paramVar(signature, param.Param).Type(), param.Path)
		if fn == nil {
			return notAFunction(name, &d, signature)
		}
		if got, want := len(d.Body.Roles), fn.Params().Len(); got != want {
			return wrong("write one role for each parameter, and _ for one that has none", "//hop:body gives %s, %s has %s", counted(got, "role"), name, counted(want, "parameter"))
		}
		if slices.ContainsFunc(c.Bodies, func(b ClaimBody) bool { return b.Param == param.Param && b.Path == param.Path }) {
			return wrong("remove one of the two lines", "//hop:body speaks of %s twice", name)
		}
		words := "function"
		if d.Body.Param.Name == "combine" {
			words = "combine function"
		}
		c.Bodies = append(c.Bodies, ClaimBody{Param: param.Param, Path: param.Path, HOP: object.Name(), Words: words, In: d.Body.Roles, Out: outputRoles(d.Body.Roles)})
	}
	return nil
}

// notAFunction is the error for a body that is no function.
func notAFunction(name string, d *directive, signature *types.Signature) error {
	var functions []string
	for i := range numParams(signature) {
		if v := paramVar(signature, i); funcAt(v.Type(), "") != nil && v.Name() != "" && v.Name() != "_" {
			functions = append(functions, v.Name())
		}
	}
	remedy := "name a parameter that is a function, or a field of one, as in m.Step"
	if len(functions) > 0 {
		remedy = "write " + withWord(d.Text, name, functions[0])
	}
	return wrong(remedy, "//hop:body: %s is no function", name)
}

// counted is a number with what is counted.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// receiverWord names a receiver that has no name, as that of an interface method.
const receiverWord = "receiver"

// resolvePlace finds the parameter or receiver that a path of a directive begins with; words are what else could have been meant.
func resolvePlace(p pathText, d *directive, signature *types.Signature, words ...string) (ClaimPlace, error) {
	recv := signature.Recv()
	for i := range numParams(signature) {
		v := paramVar(signature, i)
		unnamed := v.Name() == "" || v.Name() == "_"
		if !unnamed && v.Name() == p.Name || unnamed && v == recv && p.Name == receiverWord {
			return ClaimPlace{Param: i, Path: p.Path}, checkPath(p, d, v.Type())
		}
	}
	return ClaimPlace{}, unknownName(p, d, signature, words)
}

// funcAt is the type of the function, or of the elements of the slice of functions, that a path below a type leads to; nil if there
// is none.
func funcAt(t types.Type, path string) *types.Signature {
	t, ok := typeAt(t, path)
	if !ok || t == nil {
		return nil
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	signature, _ := t.Underlying().(*types.Signature)
	return signature
}

// numParams counts the receiver and the parameters.
func numParams(s *types.Signature) int {
	if s.Recv() != nil {
		return s.Params().Len() + 1
	}
	return s.Params().Len()
}

// paramVar is the i-th of the receiver and the parameters.
func paramVar(s *types.Signature, i int) *types.Var {
	if s.Recv() != nil {
		if i == 0 {
			return s.Recv()
		}
		i--
	}
	return s.Params().At(i)
}
