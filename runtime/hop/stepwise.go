package hop

import (
	"go/token"
	"slices"

	"github.com/hoplint/hoplint/hopcheck"
)

// stepRun is one step of a HOP under Stepwise: the body runs op by op on real tensors. Its inputs are clones, so that
// the caller's tensors stay as they are whatever the body does; writes to captured tensors are logged with the bytes
// that they replaced and taken back when the step is refused.
type stepRun struct {
	hop  *hopCall
	body *body
	step int
	// start separates what existed before the body was called from what the body makes: storages born later are its own.
	start uint64
	tag   *tag
	// checkOnly is set where the body runs as it would without the step: HOPs in it stay traced.
	checkOnly bool
	// inner is the step that this one's body is in, while that runs.
	inner  *stepRun
	inputs []stepInput
	met    []*storage // captured storages that the step read
	needed []*Tensor  // captured tensors that the step read and that require grad
	log    []stepWrite
	views  map[*Tensor]token.Position // where the step made views
}

// innermost returns the step that runs now: r or the innermost one that its body is in.
func (r *stepRun) innermost() *stepRun {
	for r.inner != nil {
		r = r.inner
	}
	return r
}

// stepInput is a storage that the body was handed.
type stepInput struct {
	storage *storage
	place   hopcheck.Place
	version uint64
}

// stepWrite is the first write of a step to a storage older than the step.
type stepWrite struct {
	storage *storage
	op      string
	pos     token.Position
	version uint64
	bytes   []byte
	unseen  bool // bytes and version before it are not known
}

// newStep begins step i of a body inside the run that g belongs to: in its innermost step, of which the operands need
// not be a part.
func (h *hopCall) newStep(b *body, i int, g *tag) *stepRun {
	r := &stepRun{hop: h, body: b, step: i}
	if g != nil && g.run != nil {
		g = g.run.innermost().tag
	}
	r.tag = newTag(g, r, nil)
	return r
}

// give returns clones of the leaves of g under the step's tag.
func (r *stepRun) give(g group) []*Tensor {
	given := make([]*Tensor, len(g.leaves))
	for i, t := range g.leaves {
		if t.isInt() {
			given[i] = t
			continue
		}
		c := tagged(tagged(t, nil).Clone(), r.tag)
		if tr := traceOf([]*Tensor{c}); tr != nil { // a buffer of the traced body around, which met a traced tensor since
			panic(stepInTrace(r.hop, tr))
		}
		given[i] = c
		r.inputs = append(r.inputs, stepInput{c.storage, g.place(i), c.storage.version.Load()})
	}
	return given
}

// call runs the body and checks what it did. ins are its inputs, given the leaves that it receives. It returns the
// output groups, or panics with every finding after all writes of the step are taken back.
func (r *stepRun) call(ins []group, given [][]*Tensor) []group {
	h, b := r.hop, r.body
	r.start = nextStamp()
	returned := false
	if outer := r.tag.parent.nearest(); outer != nil {
		outer.inner = r
		defer func() { outer.inner = nil }()
	}
	defer func() {
		if returned {
			return
		}
		p := recover()
		e, ok := p.(*Error)
		if ok {
			e = joinErrors(mutationsFirst(e, r.mutations()))
		}
		r.undo()
		if ok {
			r.mark(e)
			panic(e)
		}
		if p != nil { // else the goroutine ends
			panic(p)
		}
	}()
	outs, touched := b.run(given)
	for _, g := range outs {
		if tr := traceOf(g.leaves); tr != nil {
			panic(stepInTrace(h, tr))
		}
	}
	returned = true
	errs := r.mutations()
	errs = append(errs, h.containers(b, ins, given, touched)...)
	errs = append(errs, r.aliases(outs)...)
	errs = append(errs, h.mismatches(b, ins, given, outs)...)
	if e := joinErrors(errs); e != nil {
		r.undo()
		r.mark(e)
		panic(e)
	}
	return outs
}

// mutationsFirst is e, which ended a body, with the body's mutations behind it. A body that was stopped when it wrote a
// leaf broke its contract; that the leaf requires grad is no news then.
func mutationsFirst(e *Error, mutations []*Error) []*Error {
	if e.Code == hopcheck.InPlaceOnLeaf && len(mutations) > 0 {
		return mutations
	}
	return append([]*Error{e}, mutations...)
}

// mark adds step and operator path to an error on its way out.
func (r *stepRun) mark(e *Error) {
	for _, e := range append([]*Error{e}, e.More...) {
		if e.Operators == "" {
			e.Operators = r.segment()
		} else {
			e.Operators = r.segment() + " / " + e.Operators
		}
		if e.HOP == "" {
			e.HOP = r.hop.contract.Name
		}
		if r.step != once {
			e.Step = r.step
		}
	}
}

// once is the step of an operator that runs its body one time.
const once = -1

// segment is the step's part of an operator path, e.g. scan[2] or while_loop[0].body.
func (r *stepRun) segment() string {
	return hopcheck.Segment(r.hop.contract.Name, r.body.index, r.step)
}

// beforeWrite is called before an op writes dst. It logs the first write to each storage that is older than the step,
// for every enclosing step.
func (g *tag) beforeWrite(dst *Tensor, op string) {
	if g == nil {
		return
	}
	for r := range g.steps() {
		if dst.storage.birth < r.start {
			r.logWrite(dst.storage, op)
		}
	}
}

// wroteInTrace logs a write that an operator in the step recorded while it was traced. Nothing was written, so there is
// nothing to take back.
func (g *tag) wroteInTrace(s *storage, op string, pos token.Position) {
	if g == nil {
		return
	}
	for r := range g.steps() {
		if s.birth < r.start && !r.logged(s) {
			r.log = append(r.log, stepWrite{storage: s, op: op, pos: pos, version: s.version.Load(), unseen: true})
		}
	}
}

func (r *stepRun) logWrite(s *storage, op string) {
	for _, w := range r.log {
		if w.storage == s {
			return
		}
	}
	r.log = append(r.log, stepWrite{storage: s, op: op, pos: userPosition(), version: s.version.Load(), bytes: append([]byte(nil), s.bytes()...)})
}

// undo gives every logged storage the bytes and the version that it had.
func (r *stepRun) undo() {
	for _, w := range r.log {
		if w.unseen {
			continue
		}
		copy(w.storage.bytes(), w.bytes)
		w.storage.version.Store(w.version)
	}
}

// mutations reports the logged writes, one error for each role: inputs in their order, then captured tensors. Op and
// position are those of the role's first write.
func (r *stepRun) mutations() []*Error {
	r.logUnseen()
	var errs []*Error
	report := func(places []hopcheck.Place, writes []stepWrite) {
		e := refusal(hopcheck.Finding{Code: hopcheck.MutationCode(places[0].Role), HOP: r.hop.contract.Name, Body: r.body.spec.Words,
			Places: places, Op: writes[0].op}, writes[0].pos)
		if !e.Position.IsValid() { // an op on captured tensors alone
			e.Position = r.hop.pos
		}
		e.VersionBefore, e.VersionAfter = writes[0].version, writes[0].storage.version.Load()
		errs = append(errs, e)
	}
	var roles []hopcheck.Role
	places := map[hopcheck.Role][]hopcheck.Place{}
	writes := map[hopcheck.Role][]stepWrite{}
	for _, w := range r.log { // in order of time
		for _, place := range r.placesOf(w.storage) {
			writes[place.Role] = append(writes[place.Role], w)
		}
	}
	for _, in := range r.inputs {
		if r.logged(in.storage) && !r.hop.contract.MayMutate(in.place.Role) {
			if places[in.place.Role] == nil {
				roles = append(roles, in.place.Role)
			}
			places[in.place.Role] = append(places[in.place.Role], in.place)
		}
	}
	for _, role := range roles {
		report(places[role], writes[role])
	}
	if captured := writes[hopcheck.Captured]; captured != nil && !r.hop.contract.MayMutate(hopcheck.Captured) {
		var names []hopcheck.Place
		for _, w := range captured {
			names = append(names, r.captured(w.storage))
		}
		report(names, captured)
	}
	return errs
}

// logged reports whether a write to s is in the log.
func (r *stepRun) logged(s *storage) bool {
	for _, w := range r.log {
		if w.storage == s {
			return true
		}
	}
	return false
}

// meet remembers the captured tensors that the step reads together with tagged ones, for every enclosing step.
func (g *tag) meet(ts []*Tensor) {
	if g == nil {
		return
	}
	for r := range g.steps() {
		for _, t := range ts {
			if t.storage.birth >= r.start {
				continue
			}
			if t.tag != nil && t.tag.born < r.tag.born {
				r.hop.around = r.hop.around.inner(t.tag)
			}
			if !slices.Contains(r.met, t.storage) {
				r.met = append(r.met, t.storage)
			}
			if t.RequiresGrad() {
				r.need(t)
			}
		}
	}
}

// madeView remembers where the innermost step made a view, for the message should the body return it.
func (g *tag) madeView(t *Tensor) {
	r := g.step()
	if r == nil {
		return
	}
	if r.views == nil {
		r.views = map[*Tensor]token.Position{}
	}
	r.views[t] = userPosition()
}

// need remembers a captured tensor that requires grad; inputs have a place of their own.
func (r *stepRun) need(t *Tensor) {
	for _, in := range r.inputs {
		if in.storage == t.storage {
			return
		}
	}
	for _, u := range r.needed {
		if sameWindow(u, t) {
			return
		}
	}
	r.needed = append(r.needed, t)
}

// logUnseen adds writes that did not pass through a tagged operand: an op on captured tensors alone runs at once. What
// was there before is not known, so such a write is reported but not taken back.
func (r *stepRun) logUnseen() {
	for _, s := range r.met {
		if s.written.Load() > r.start && !r.logged(s) {
			r.log = append(r.log, stepWrite{storage: s, version: s.version.Load() - 1, unseen: true})
		}
	}
}

// placesOf says what a storage is for the body; a storage older than the step that is no input is captured.
func (r *stepRun) placesOf(s *storage) []hopcheck.Place {
	var places []hopcheck.Place
	for _, in := range r.inputs {
		if in.storage == s {
			places = append(places, in.place)
		}
	}
	if places == nil {
		places = []hopcheck.Place{r.captured(s)}
	}
	return places
}

// captured names a storage that is no input: by its place in the enclosing step where it is an input of that.
func (r *stepRun) captured(s *storage) hopcheck.Place {
	place := hopcheck.Place{Role: hopcheck.Captured}
	for g := r.tag.parent; g != nil; g = g.parent {
		if g.run == nil {
			continue
		}
		for _, in := range g.run.inputs {
			if in.storage != s {
				continue
			}
			if place.Label, place.Path = in.place.Label, in.place.Path; place.Label == "" {
				place.Label = in.place.Role.String()
			}
			return place
		}
	}
	return place
}

// aliases compares the storages of the outputs with each other, with the inputs and with captured tensors.
func (r *stepRun) aliases(outs []group) []*Error {
	type output struct {
		t     *Tensor
		place hopcheck.Place
	}
	var all []output
	for _, g := range outs {
		for i, t := range g.leaves {
			if t.count() > 0 && !t.isInt() && !r.hop.contract.MayAlias(g.slot.Role) {
				all = append(all, output{t, g.place(i)})
			}
		}
	}
	var between, captured []hopcheck.Pair
	inputs := map[hopcheck.Role][]hopcheck.Pair{}
	var roles []hopcheck.Role
	for i, o := range all {
		for _, p := range all[i+1:] {
			if o.t.storage == p.t.storage {
				between = append(between, hopcheck.Pair{Out: o.place, With: p.place})
			}
		}
		if o.t.storage.birth > r.start {
			continue
		}
		for _, place := range r.placesOf(o.t.storage) {
			pair := hopcheck.Pair{Out: o.place, With: place}
			if place.Role == hopcheck.Captured {
				captured = append(captured, pair)
				continue
			}
			if inputs[place.Role] == nil {
				roles = append(roles, place.Role)
			}
			inputs[place.Role] = append(inputs[place.Role], pair)
		}
	}
	var errs []*Error
	add := func(code hopcheck.Code, pairs []hopcheck.Pair) {
		if len(pairs) == 0 {
			return
		}
		pos := r.body.pos
		for _, o := range all {
			if at, ok := r.views[o.t]; ok && o.place == pairs[0].Out {
				pos = at
			}
		}
		errs = append(errs, refusal(hopcheck.Finding{Code: code, HOP: r.hop.contract.Name, Body: r.body.spec.Words, Pairs: pairs}, pos))
	}
	add(hopcheck.OutputsAlias, between)
	for _, role := range roles {
		add(hopcheck.AliasCode(role), inputs[role])
	}
	add(hopcheck.OutputAliasesCaptured, captured)
	return errs
}
