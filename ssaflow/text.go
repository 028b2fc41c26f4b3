package ssaflow

import (
	"fmt"
	"sort"
	"strings"
)

// String returns the word of the kind: mutates, stores, rebinds, appends, unseen.
func (k EffectKind) String() string {
	return [...]string{"mutates", "stores", "rebinds", "appends", "unseen"}[k]
}

// String returns the word of the kind: clock, rand, io, ….
func (k FlagKind) String() string {
	return [...]string{"clock", "rand", "io", "env", "goroutine", "channel", "lock", "unsafe", "reflect", "global", "print", "unresolved", "blind"}[k]
}

// Text names a ref with the names of the source where the summary has them: carry.H.
func (s *Summary) Text(r Ref) string {
	name := r.Root.text()
	if n, ok := s.names[Root{Kind: r.Root.Kind, Index: r.Root.Index}]; ok {
		name = n
	} else if r.Root.Kind == Global {
		name = shortName(r.Root.Name)
	}
	return name + r.Fields()
}

// String returns the summary as one line: what is written and how, what results share, what is kept, and the flags; "pure" when
// there is nothing to tell.
func (s *Summary) String() string {
	if s.Top {
		return "top"
	}
	var parts []string
	for _, e := range s.Effects {
		p := fmt.Sprintf("%s{%s}", e.Kind, s.Text(e.Ref))
		var via []string
		for _, st := range e.Witness {
			if st.Kind == View || st.Kind == Pass {
				via = append(via, st.Callee)
			}
		}
		if len(via) > 0 {
			p += " via " + strings.Join(via, ", ")
		}
		parts = append(parts, p)
	}
	parts = append(parts, s.returnsText()...)
	for _, r := range s.Stores {
		if r.Dst.Root.Kind == Fresh || r.Dst.Root.Kind == SlotResult {
			continue
		}
		var what []string
		for _, o := range r.Origins {
			if own := (Ref{r.Dst.Root, r.Dst.Path + "*"}); o.Ref.same(own) {
				continue
			}
			what = append(what, s.originText(o))
		}
		if len(what) > 0 {
			parts = append(parts, fmt.Sprintf("keeps{%s in %s}", strings.Join(what, ", "), s.Text(r.Dst)))
		}
	}
	for _, sl := range s.Slots {
		name := s.Text(sl.Callee)
		if sl.Method != "" {
			name += "." + sl.Method
		}
		var args []string
		for _, a := range sl.Args {
			var os []string
			for _, l := range a {
				for _, o := range l.Origins {
					os = append(os, s.originText(o))
				}
			}
			args = append(args, strings.Join(os, "|"))
		}
		parts = append(parts, fmt.Sprintf("calls{%s(%s)}", name, strings.Join(args, ", ")))
	}
	seen := map[string]bool{}
	for _, f := range s.Flags {
		if w := f.Kind.String(); !seen[w] {
			seen[w] = true
			parts = append(parts, w)
		}
	}
	if s.NoReturn {
		parts = append(parts, "never returns")
	}
	if len(parts) == 0 {
		return "pure"
	}
	return strings.Join(parts, "; ")
}

func (s *Summary) originText(o Origin) string {
	switch o.Ref.Root.Kind {
	case Fresh:
		return "fresh"
	case Unknown:
		return "unknown"
	case Func:
		return "func"
	}
	if o.View {
		return "view(" + s.Text(o.Ref) + ")"
	}
	return s.Text(o.Ref)
}

// returnsText tells the results that are not simply fresh, then the pairs that share one object.
func (s *Summary) returnsText() []string {
	type out struct {
		name    string
		origins []Origin
	}
	var outs []out
	for i := range s.Results {
		for _, l := range s.Output(i) {
			name := ""
			if len(s.Results) > 1 {
				name = fmt.Sprint(i)
			}
			outs = append(outs, out{name + l.Fields(), l.Origins})
		}
	}
	var parts []string
	for _, o := range outs {
		var words []string
		interesting := false
		for _, x := range o.origins {
			w := s.originText(x)
			interesting = interesting || x.Ref.Root.Kind != Fresh && x.Ref.Root.Kind != Func
			words = append(words, w)
		}
		if interesting {
			sort.Strings(words)
			p := "returns "
			if o.name != "" {
				p = "returns " + o.name + "="
			}
			parts = append(parts, p+strings.Join(dedupe(words), "|"))
		}
	}
	for i := range outs {
		for j := i + 1; j < len(outs); j++ {
			if sharesAny(outs[i].origins, outs[j].origins) {
				parts = append(parts, fmt.Sprintf("shares %s~%s", outs[i].name, outs[j].name))
			}
		}
	}
	return parts
}

func dedupe(words []string) []string {
	out := words[:0]
	for i, w := range words {
		if i == 0 || w != words[i-1] {
			out = append(out, w)
		}
	}
	return out
}

func sharesAny(a, b []Origin) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Shares(y) {
				return true
			}
		}
	}
	return false
}

// Output returns the leaves of result i, looking into fresh memory: a result that is a new *S with field H has leaves "" and
// "*.H".
func (s *Summary) Output(i int) []Leaf { return s.Expand(s.Results[i]) }

// Expand follows leaves into the fresh memory they refer to.
func (s *Summary) Expand(leaves []Leaf) []Leaf {
	inside := map[int][]StoreRow{}
	for _, r := range s.Stores {
		if r.Dst.Root.Kind == Fresh {
			inside[r.Dst.Root.Index] = append(inside[r.Dst.Root.Index], r)
		}
	}
	var out []Leaf
	var follow func(l Leaf, above []int)
	follow = func(l Leaf, above []int) {
		out = append(out, l)
	next:
		for _, o := range l.Origins {
			n := o.Ref.Root.Index
			if o.Ref.Root.Kind != Fresh || len(above) > maxDepth {
				continue
			}
			for _, a := range above {
				if a == n {
					continue next
				}
			}
			for _, r := range inside[n] {
				rest, ok := cutPrefix(r.Dst.Path, o.Ref.Path)
				if !ok || strings.HasPrefix(rest, "#") {
					continue
				}
				follow(Leaf{Path: l.Path + "*" + rest, Origins: r.Origins}, append(above[:len(above):len(above)], n))
			}
		}
	}
	for _, l := range leaves {
		follow(l, nil)
	}
	return out
}

// fingerprint tells summaries apart by what callers can observe, without witnesses.
func (s *Summary) fingerprint() string {
	var b strings.Builder
	if s.Recovers {
		b.WriteString("recovers,")
	}
	effects := make([]string, len(s.Effects)) // their order is that of callees, which swap places in some recursions
	for i, e := range s.Effects {
		effects[i] = fmt.Sprintf("e%d%s%s,%t", e.Kind, e.Ref.Root.text(), e.Ref.Path, e.Below)
	}
	sort.Strings(effects)
	b.WriteString(strings.Join(effects, ""))
	origins := func(list []Origin) {
		for _, o := range list {
			fmt.Fprintf(&b, "%s%s%t%t,", o.Ref.Root.text(), o.Ref.Path, o.View, o.Unique)
			if o.moved || o.clipped || o.short || o.resliced {
				fmt.Fprintf(&b, "%x", bits(o.moved, o.clipped, o.short, o.resliced))
			}
		}
	}
	leaves := func(list []Leaf) {
		for _, l := range list {
			b.WriteString(l.Path + ":")
			origins(l.Origins)
		}
	}
	for i := range s.Results {
		fmt.Fprintf(&b, "r%d", i)
		leaves(s.Results[i])
	}
	for _, r := range s.Stores {
		fmt.Fprintf(&b, "s%s%s=", r.Dst.Root.text(), r.Dst.Path)
		if r.All {
			b.WriteByte('!')
		}
		origins(r.Origins)
	}
	for _, sl := range s.Slots {
		fmt.Fprintf(&b, "c%s%s.%s", sl.Callee.Root.text(), sl.Callee.Path, sl.Method)
		for _, a := range sl.Args {
			leaves(a)
		}
	}
	for _, f := range s.Flags {
		fmt.Fprintf(&b, "f%d%s", f.Kind, f.Op)
	}
	fmt.Fprintf(&b, "%t%t", s.NoReturn, s.Top)
	return b.String()
}
