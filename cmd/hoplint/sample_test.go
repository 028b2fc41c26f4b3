package main

import (
	"go/token"
	"strings"
	"testing"

	"github.com/hoplint/hoplint/hopcheck"
	"github.com/hoplint/hoplint/runtime/hop"
)

// The page of a rule shows the run-time form without importing the runtime; this is what holds it to the truth.
func TestDynamicFormIsThatOfTheRuntime(t *testing.T) {
	for _, r := range hopcheck.Rules() {
		f := sampleAtRunTime(r.Code)
		e := hop.Error{Code: r.Code, Finding: f, Step: -1, Position: token.Position{Filename: "lstm.go", Line: 42}}
		if len(f.Places) > 0 || f.Code == hopcheck.StaleCapture {
			e.VersionAfter = 1
		}
		if got, want := dynamicForm(f), e.Error(); got != want {
			t.Errorf("%s: got  %s\nwant %s", string(r.Code), got, want)
		}
	}
}

// Each sample must be one that its rule's message is made from.
func TestSamplesSpeakOfTheirRule(t *testing.T) {
	for _, r := range hopcheck.Rules() {
		if text := staticForm(sample(r.Code)); !strings.Contains(text, "("+string(r.Code)+")") {
			t.Errorf("%s: the sample says %s", string(r.Code), text)
		}
	}
}
