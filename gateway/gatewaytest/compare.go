package gatewaytest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// Comparison compares what a restricted credential is answered with what an unrestricted one is answered in an office
// that has only the records which the first one sees.
type Comparison struct {
	Whole, Part                         *Office
	CredentialOfWhole, CredentialOfPart [2]string
	Admin                               [2]string // sees everything in the whole office
	Records                             *Records
	Restriction                         []backoffice.RestrictionFields
	Seed                                uint64
	Asker                               *Asker
	Compared, Refused                   int
	Counts                              bool   // compare the number of statements, too
	Differs                             string // the first difference
	Written                             bool   // both have records that were made now
}

// byChance matches what differs each time.
var byChance = regexp.MustCompile(`"requestId":"[^"]*"|signature=[^"&]+|"20(?:2[6-9]|[3-9][0-9])-[0-9T:.-]+Z"|"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"|/uploads/[0-9a-f-]+|"restriction":(?:null|"(?:[^"\\]|\\.)*")`)

var anyCursor = regexp.MustCompile(`"(?:cursor|startCursor|endCursor)":"[^"]*"`)

// Normal removes from an answer what differs each time (signatures, the present time, new identifiers) and the
// restriction, which a credential may read.
func Normal(body []byte) string { return byChance.ReplaceAllString(string(body), "…") }

// Same compares two answers. With mayRefuse the whole office may answer NOT_ALLOWED or TAKEN instead, which the other
// never does, unless the other has nothing of that name: the refusal would show that the record exists.
func (w *Comparison) Same(what, whole, part string, mayRefuse bool) {
	shows := strings.Contains(strings.ToUpper(part), "NOT_FOUND") && !strings.Contains(strings.ToUpper(whole), "NOT_FOUND") &&
		!strings.Contains(part, `"deletedCustomerId":"`) // one of several inputs, for which all may be rejected
	if mayRefuse && !shows && (strings.Contains(whole, "NOT_ALLOWED") || strings.Contains(whole, "TAKEN")) {
		w.Refused++
		return
	}
	w.Compared++
	if whole != part && w.Differs == "" {
		at := 0
		for at < min(len(whole), len(part)) && whole[at] == part[at] {
			at++
		}
		around := func(text string) string { return text[max(0, at-200):min(len(text), at+200)] }
		whole, part = around(whole), around(part)
		w.Differs = fmt.Sprintf("seed %d: %s\nthe whole office says\n%s\nand the part\n%s", w.Seed, what, whole, part)
	}
}

// GraphQL asks both offices.
func (w *Comparison) GraphQL(t testing.TB, document string, mayRefuse bool) {
	t.Helper()
	if w.Refused > 0 && strings.Contains(document, "privacyAccesses") {
		return // the part has entries of what the whole office has refused
	}
	_, whole, calls := w.Whole.Ask(t, w.CredentialOfWhole, document, nil, nil)
	_, part, others := w.Part.Ask(t, w.CredentialOfPart, document, nil, nil)
	if w.Counts && calls != others && w.Differs == "" {
		w.Differs = fmt.Sprintf("seed %d: %s took %d statements and %d", w.Seed, document, calls, others)
	}
	if mayRefuse || w.Written || strings.Contains(document, "privacyAccesses") { // cursors hold what was made now
		whole, part = anyCursor.ReplaceAll(whole, []byte(`"…"`)), anyCursor.ReplaceAll(part, []byte(`"…"`))
	}
	w.Same(document, Normal(whole), Normal(part), mayRefuse)
}

// Reads compares the answers of every root field of Query.
func (w *Comparison) Reads(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, field := range w.Asker.Schema.Query.Fields {
			if strings.HasPrefix(field.Name, "__") || NotAsked["Query."+field.Name] != "" {
				continue
			}
			w.GraphQL(t, w.Asker.Document(field), false)
		}
	}
}

// Rehearses compares the dry runs of every mutation.
func (w *Comparison) Rehearses(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, field := range w.Asker.Schema.Mutation.Fields {
			w.Asker.Left = 60
			w.GraphQL(t, "mutation { "+w.Asker.Field(w.Asker.Schema.Mutation, field, 4, "")+" }", true)
		}
	}
}

// Exports compares exports, which read lists in another way.
func (w *Comparison) Exports(t testing.TB) {
	t.Helper()
	for _, list := range []string{
		"customers { nodes { id displayName relations { totalCount edges { otherCustomer { id } } } transcripts { totalCount nodes { id } } } }",
		"transcripts { nodes { id customer { id } calculation { id } } }", "relations { nodes { id kind } }", "minfinDocuments { nodes { id customer { id } } }", "documents { nodes { id } }",
	} {
		request := JSON(t, map[string]string{"query": "{ " + list + " }"})
		answer := func(o *Office, credential [2]string) string {
			r := o.Send(t, credential, http.MethodPost, "/graphql/export?format=jsonl", request)
			return fmt.Sprint(r.Code, Normal(r.Body.Bytes()))
		}
		w.Same("export "+list, answer(w.Whole, w.CredentialOfWhole), answer(w.Part, w.CredentialOfPart), false)
	}
}
