package hop601

// Good lists the programs that keep the rule; the runtime runs each.
var Good = []func(){afterwards, onAClone, notSaved, notNeeded, notRecorded, rounds, helpers}

func afterwards() {
	w, x := weight().SetRequiresGrad(true), ones()
	w.Mul(x).Sum().Backward()
	x.AddScalarInPlace(1)
	w.Detach().SubInPlace(w.Grad())
}

func onAClone() {
	w, x := weight().SetRequiresGrad(true), ones()
	loss := w.Mul(x.Clone()).Sum()
	x.AddScalarInPlace(1)
	loss.Backward()
}

func notSaved() {
	w, x := weight().SetRequiresGrad(true), ones()
	y := w.Add(x)
	x.AddScalarInPlace(1)
	y.AddScalarInPlace(1)
	y.Sum().Backward()
}

func notNeeded() {
	w, x := weight().SetRequiresGrad(true), ones()
	y := w.Mul(x).Detach()
	x.AddScalarInPlace(1)
	w.Add(y).Sum().Backward()
}

func notRecorded() {
	w, x := weight().SetRequiresGrad(true), ones()
	y := ones().Mul(x)
	x.AddScalarInPlace(1)
	w.Add(y).Sum().Backward()
}

func rounds() {
	w, x := weight().SetRequiresGrad(true), ones()
	for range 3 {
		loss := w.Mul(x).Sum()
		loss.Backward()
		x.AddScalarInPlace(1)
	}
}

func helpers() {
	w, x := weight().SetRequiresGrad(true), ones()
	l := loss(w, x.Clone())
	x.AddScalarInPlace(1)
	finish(l)
	l = loss(w, x)
	finish(l)
	x.AddScalarInPlace(1)
}
