package backoffice

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// Tool is as what agents may call a trusted query.
type Tool struct {
	Name    string // "" for no tool
	About   string // what agents are told of it; an operator has read it
	Numbers bool   // it may disclose registration numbers, to a caller who may see them
}

// BuiltInTools are the names of the tools that every agent has, which no document takes.
var BuiltInTools = []string{"explain", "query", "search_schema"}

// ToolPurpose is the stated purpose, in the register of consultations, of what a tool disclosed.
const ToolPurpose = "mcp:"

var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// CheckToolName returns BadInput for an invalid name of a tool.
func CheckToolName(name string) error {
	switch {
	case !toolName.MatchString(name) || MaskDigits(name) != name:
		return Errorf(BadInput, "a tool's name is a letter and up to 63 of A-Z a-z 0-9 _ -, without a run of 9 digits")
	case slices.Contains(BuiltInTools, name):
		return Errorf(BadInput, "the tools %s are there already", strings.Join(BuiltInTools, ", "))
	}
	return nil
}

// marked finds the document to mark: the one whose operation has the tool's name, or the only one. Without an About the
// tool gets the operation's description.
func (t *Trusting) marked() (*TrustedDocument, error) {
	if t.Mark == nil {
		return nil, nil
	}
	if err := CheckToolName(t.Mark.Name); err != nil {
		return nil, err
	}
	of := t.Documents
	if len(of) > 1 {
		of = slices.DeleteFunc(slices.Clone(of), func(d *TrustedDocument) bool { return d.Name != t.Mark.Name })
	}
	switch {
	case len(of) != 1:
		return nil, refuseDocuments("of several documents, the tool is the one whose operation has its name")
	case of[0].Kind != "query":
		return nil, refuseDocuments("agents only read: a tool is a query")
	}
	if t.Mark.About == "" {
		t.Mark.About = strings.TrimSpace(of[0].Title + "\n" + of[0].About)
	}
	if t.Mark.About == "" {
		return nil, refuseDocuments(
			"agents choose a tool by its description: describe the operation in the document, or pass --description")
	}
	if err := checkAbout(t.Mark.About); err != nil {
		return nil, refuseDocuments("the description: %s", err.Error())
	}
	return of[0], nil
}

// RemoveTool makes a tool a trusted document like any other. Errors: NotFound.
func RemoveTool(ctx context.Context, store TrustedDocumentStore, name string, now Instant) error {
	act := Change{At: now, Action: "tools remove", ObjectID: ShownName(name), Done: Updated}
	return store.ChangeTrustedDocuments(ctx, act, func(have []*TrustedDocument) (changes TrustedChanges, err error) {
		for _, d := range have {
			if name != "" && d.Tool.Name == name {
				d.Tool = Tool{}
				changes.Mark = append(changes.Mark, d)
			}
		}
		if changes.Mark == nil {
			return changes, Errorf(NotFound, "there is no such tool")
		}
		return changes, nil
	})
}

// MayRun reports whether a caller has the scopes of a whole document. Without privacy.read registration numbers are
// withheld, which is another matter.
func (d *TrustedDocument) MayRun(by *Principal) bool {
	return !slices.ContainsFunc(d.Scopes, func(scope Scope) bool { return scope != PrivacyRead && !by.Has(scope) })
}

// Discloses reports whether the document, as a tool, discloses registration numbers to a caller.
func (d *TrustedDocument) Discloses(to *Principal) bool { return d.Tool.Numbers && to.Has(PrivacyRead) }
