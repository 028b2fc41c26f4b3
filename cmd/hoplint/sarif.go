package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"codeberg.org/chavacava/garif"

	"github.com/hoplint/hoplint/analyzer"
	"github.com/hoplint/hoplint/hopcheck"
)

const (
	homePage  = "https://github.com/hoplint/hoplint"
	rulesPath = homePage + "/blob/main/RULES.md#"
	// sourceRoot stands for the folder that hoplint runs in, which files below are named from.
	sourceRoot = "%SRCROOT%"
	// fingerprintKey names how fingerprints are made, so that another way gets another name.
	fingerprintKey = "hoplintFinding/v1"
)

// sarifLog and sarifRun differ from garif's in one respect: a run without findings has an empty list of results. Without
// a list it would say that it was not run.
// Source: SARIF 2.1.0, section 3.14.23.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	*garif.Run
	Results []*garif.Result `json:"results"`
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// printSARIF writes findings in the Static Analysis Results Interchange Format, version 2.1.0, for code-scanning pages.
func printSARIF(w io.Writer, r *result, opts *options) error {
	p := &sarifPrinter{rules: selectedRules(opts), seen: map[string]int{}}
	run := sarifRun{Run: p.run(r), Results: []*garif.Result{}}
	for _, f := range r.findings {
		run.Results = append(run.Results, p.result(f))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// selectedRules are the rules that a run could have reported.
func selectedRules(opts *options) []hopcheck.Rule {
	return slices.DeleteFunc(hopcheck.Rules(), func(r hopcheck.Rule) bool {
		return !slices.Contains(analyzer.Codes(), r.Code) || !opts.selected.Has(r.Code)
	})
}

type sarifPrinter struct {
	rules []hopcheck.Rule
	src   sources
	// seen counts findings that would have the same fingerprint.
	seen map[string]int
}

// run is all but the results.
func (p *sarifPrinter) run(r *result) *garif.Run {
	driver := garif.NewDriver("hoplint").WithInformationUri(homePage)
	driver.Version = ownVersion()
	for _, rule := range p.rules {
		d := garif.NewRule(string(rule.Code)).WithHelpUri(rulesPath + anchor(rule))
		d.Name = rule.Name
		d.ShortDescription = garif.NewMultiformatMessageString(sentence(rule.Summary))
		d.FullDescription = garif.NewMultiformatMessageString(rule.Why)
		d.Help = garif.NewMultiformatMessageString(documentation(rule).Format(true))
		d.Help.Markdown = ruleMarkdown(rule, programFor(programs(), rule.Code), enforced())
		d.DefaultConfiguration = garif.NewReportingConfiguration()
		d.DefaultConfiguration.Level = sarifLevel(rule.Severity)
		driver.Rules = append(driver.Rules, d)
	}
	run := garif.NewRun(garif.NewTool(driver))
	run.ColumnKind = "utf16CodeUnits"
	run.DefaultSourceLanguage = "go"
	root := garif.NewArtifactLocation()
	root.Description = garif.NewMessageFromText("the folder that hoplint ran in")
	run.OriginalUriBaseIds = map[string]*garif.ArtifactLocation{sourceRoot: root}
	invocation := garif.NewInvocation(!r.fails.any())
	for _, line := range r.fails.lines() {
		n := garif.NewNotification(garif.NewMessageFromText(line))
		n.Level = garif.ResultLevel_Error
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, n)
	}
	run.Invocations = []*garif.Invocation{invocation}
	return run
}

func (p *sarifPrinter) result(f finding) *garif.Result {
	rule, _ := hopcheck.RuleFor(f.code)
	res := garif.NewResult(garif.NewMessageFromText(f.message))
	res.RuleId = string(f.code)
	res.RuleIndex = slices.IndexFunc(p.rules, func(r hopcheck.Rule) bool { return r.Code == f.code })
	res.Kind = garif.ResultKind_Fail
	res.Level = sarifLevel(rule.Severity)
	res.Locations = []*garif.Location{p.location(f.span)}
	res.PartialFingerprints = map[string]string{fingerprintKey: p.fingerprint(f)}
	var flow []*garif.ThreadFlowLocation
	for i, s := range f.way {
		at := p.location(s.span)
		at.Id = i + 1
		at.Message = garif.NewMessageFromText(s.message)
		res.RelatedLocations = append(res.RelatedLocations, at)
		step := garif.NewThreadFlowLocation()
		step.Location = p.location(s.span)
		step.Location.Message = at.Message
		flow = append(flow, step)
	}
	if len(flow) > 0 {
		res.CodeFlows = []*garif.CodeFlow{garif.NewCodeFlow(garif.NewThreadFlow(flow))}
	}
	for _, x := range f.fixes {
		res.Fixes = append(res.Fixes, p.fix(x))
	}
	return res
}

// fix lists the replacements of a repair, file by file in their order.
func (p *sarifPrinter) fix(x fix) *garif.Fix {
	out := garif.NewFix()
	out.Description = garif.NewMessageFromText(x.Message)
	changes := map[string]*garif.ArtifactChange{}
	for _, e := range x.Edits {
		c := changes[e.File]
		if c == nil {
			c = garif.NewArtifactChange(artifactLocation(e.File))
			changes[e.File] = c
			out.ArtifactChanges = append(out.ArtifactChanges, c)
		}
		r := garif.NewReplacement(p.region(span{p.src.position(e.File, e.Start), p.src.position(e.File, e.End)}))
		if e.New != "" {
			r.InsertedContent = garif.NewArtifactContent()
			r.InsertedContent.Text = e.New
		}
		c.Replacements = append(c.Replacements, r)
	}
	return out
}

func (p *sarifPrinter) location(at span) *garif.Location {
	l := garif.NewLocation()
	l.PhysicalLocation = garif.NewPhysicalLocation()
	l.PhysicalLocation.ArtifactLocation = artifactLocation(at.start.file)
	l.PhysicalLocation.Region = p.region(at)
	return l
}

// region is a span with columns in UTF-16 code units.
func (p *sarifPrinter) region(at span) *garif.Region {
	r := garif.NewRegion()
	r.StartLine, r.StartColumn = at.start.line, p.src.utf16Column(at.start)
	r.EndLine, r.EndColumn = at.end.line, p.src.utf16Column(at.end)
	return r
}

// fingerprint stays the same when lines are inserted above a finding: it is made of the rule, the file, the sentence and
// the text of the line, and of how many findings before it have the same.
func (p *sarifPrinter) fingerprint(f finding) string {
	text, _ := p.src.line(f.start.file, f.start.line)
	parts := strings.Join([]string{string(f.code), artifactLocation(f.start.file).Uri, f.message, strings.TrimSpace(string(text))}, "\x00")
	p.seen[parts]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", parts, p.seen[parts]))
	return hex.EncodeToString(sum[:16])
}

// artifactLocation names a file: relative to the folder that hoplint runs in when it lies below, by a file URI otherwise.
func artifactLocation(file string) *garif.ArtifactLocation {
	l := garif.NewArtifactLocation()
	path := slashPath(file)
	switch {
	case filepath.IsAbs(file) && (filepath.IsAbs(path) || path == ".." || strings.HasPrefix(path, "../")):
		l.Uri = (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(file), "/")}).String()
	default:
		l.Uri, l.UriBaseId = (&url.URL{Path: path}).String(), sourceRoot
	}
	return l
}

func sarifLevel(s hopcheck.Severity) garif.ResultLevel {
	return [...]garif.ResultLevel{hopcheck.Error: garif.ResultLevel_Error, hopcheck.Warning: garif.ResultLevel_Warning,
		hopcheck.Info: garif.ResultLevel_Note}[s]
}

// ownVersion is the version that hoplint was built as.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return develVersion
	}
	return cmp.Or(info.Main.Version, develVersion)
}

const develVersion = "(devel)"
