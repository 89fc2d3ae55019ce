package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// drawn counts the documents that an office draws.
type drawn struct {
	backoffice.Documents
	n *atomic.Int32
}

func (d drawn) Transcript(ctx context.Context, of backoffice.TranscriptDocument) (io.Reader, string, error) {
	d.n.Add(1)
	return d.Documents.Transcript(ctx, of)
}

// openDrawingOffice is an office whose documents are counted, with completed transcripts "held-0000" and so on, whose
// answers have so many bytes each.
func openDrawingOffice(t testing.TB, database string, transcripts, bytes int) (*gatewaytest.Office, *atomic.Int32) {
	t.Helper()
	settings := gatewaytest.Settings(t, database)
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := new(atomic.Int32)
	gateway.SetDocuments(h, func(of backoffice.Documents) backoffice.Documents { return drawn{of, n} })
	o := gatewaytest.ServeBackend(t, h, gatewaytest.Limits())
	o.Fill(t)
	gatewaytest.Hold(t, o, transcripts, bytes)
	return o, n
}

// generate asks for a document under each alias.
func generate(ids ...string) string {
	var b strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&b, ` a%d: generateTranscriptDocument(input: {transcriptId: %q}) { transcript { id documentGenerated file { size } } userErrors { code } }`, i, id)
	}
	return "mutation {" + b.String() + " }"
}

type generated struct {
	Data map[string]*struct {
		Transcript *struct {
			DocumentGenerated bool
			File              *struct{ Size int }
		}
	}
	Errors []struct {
		Path       []string
		Extensions struct{ Code string }
	}
}

func TestTheSameDocumentIsDrawnOnceInAnOperation(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o, count := openDrawingOffice(t, database(t), 1, 20_000)
			credential := o.Credential(t, backoffice.AllScopes...)
			_, body, _ := o.Ask(t, credential, generate(strings.Fields(strings.Repeat("held-0000 ", 20))...), nil, nil)
			var answer generated
			if err := json.Unmarshal(body, &answer); err != nil || len(answer.Errors) > 0 || len(answer.Data) != 20 {
				t.Fatalf("%v %.500s", err, body)
			}
			for alias, got := range answer.Data {
				if got.Transcript == nil || !got.Transcript.DocumentGenerated || got.Transcript.File == nil || got.Transcript.File.Size == 0 {
					t.Errorf("%s has no document: %.300s", alias, body)
				}
			}
			if n := count.Load(); n != 1 {
				t.Errorf("twenty aliases of one transcript drew %d documents", n)
			}
			o.Ask(t, credential, generate("held-0000"), nil, nil)
			if n := count.Load(); n != 2 {
				t.Errorf("another operation did not draw the document anew: %d", n)
			}
			between := `mutation { a: generateTranscriptDocument(input: {transcriptId: "held-0000"}) { transcript { id } }
				b: updateCustomer(input: {id: "holder", name: "Another"}) { userErrors { code } }
				c: generateTranscriptDocument(input: {transcriptId: "held-0000"}) { transcript { id } }
				d: generateTranscriptDocument(input: {transcriptId: "held-0000"}) { transcript { id } } }`
			if _, body, _ := o.Ask(t, credential, between, nil, nil); strings.Contains(string(body), `"code"`) {
				t.Fatalf("%.500s", body)
			}
			if n := count.Load(); n != 4 {
				t.Errorf("a change of the customer's name between two of three: %d documents in all, not 4", n)
			}
		})
	}
}

func TestTheDocumentsOfOneOperationAreDrawnFromABoundedAmountOfAnswers(t *testing.T) {
	t.Parallel()
	o, count := openDrawingOffice(t, gatewaytest.Engines["SQLite"](t), 20, 60_000)
	credential := o.Credential(t, backoffice.AllScopes...)
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprintf("held-%04d", i))
	}
	status, body, _ := o.Ask(t, credential, generate(ids...), nil, nil)
	var answer generated
	if err := json.Unmarshal(body, &answer); err != nil || status != gatewaytest.PartialSuccess {
		t.Fatalf("%d %v %.500s", status, err, body)
	}
	if n := count.Load(); n != 4 || len(answer.Errors) != 16 {
		t.Errorf("twenty transcripts with 60 kB each: %d documents, %d errors", n, len(answer.Errors))
	}
	for _, err := range answer.Errors {
		if err.Extensions.Code != limits.CodeCost || len(err.Path) != 1 || answer.Data[err.Path[0]] != nil {
			t.Errorf("refused as %+v, with %+v", err, answer.Data[err.Path[0]])
		}
	}
	for i := range 4 {
		if got := answer.Data[fmt.Sprintf("a%d", i)]; got == nil || got.Transcript.File == nil {
			t.Errorf("document %d within the bound is not there: %.300s", i, body)
		}
	}
	if _, body, _ := o.Ask(t, credential, generate(ids[4:8]...), nil, nil); count.Load() != 8 || strings.Contains(string(body), `"errors"`) {
		t.Errorf("the rest in another operation: %d documents, %.300s", count.Load(), body)
	}
}

func TestTheListsOfAnOperationHaveABoundedNumberOfValues(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	list := func(n int) json.RawMessage {
		ids, _ := json.Marshal(map[string]any{"ids": make([]int, n), "filter": map[string]any{"ids": make([]int, n)}})
		return ids
	}
	aliases := func(one string, n int) (all string) {
		for i := range n {
			all += fmt.Sprintf(" a%d: %s", i, one)
		}
		return all
	}
	for sentence, c := range map[string]struct {
		query string
		most  int // of identifiers in the list
	}{
		"one filter":           {`query($ids: [ID!]!) { customers(first: 0, filter: {ids: $ids}) { totalCount } }`, 25_000},
		"twenty filters":       {`query($ids: [ID!]!) {` + aliases(`customers(first: 0, filter: {ids: $ids}) { totalCount }`, 20) + ` }`, 1_250},
		"a filter as variable": {`query($filter: CustomerFilter) {` + aliases(`customers(first: 0, filter: $filter) { totalCount }`, 20) + ` }`, 1_250},
		"fragments":            {`query($ids: [ID!]!) { ...F } fragment F on Query {` + aliases(`customers(first: 0, filter: {ids: $ids}) { totalCount }`, 20) + ` }`, 1_250},
	} {
		for n, refused := range map[int]bool{c.most: false, c.most + 1: true} {
			status, body, calls := o.Ask(t, credential, c.query, list(n), nil)
			if got := status == http.StatusBadRequest && gatewaytest.CodeIn(body) == limits.CodeCost && calls == 0; got != refused || !refused && strings.Contains(string(body), `"errors"`) {
				t.Errorf("%s of %d: %d after %d statements: %.300s", sentence, n, status, calls, body)
			}
		}
	}
	label := `mutation($ids: [ID!]!) {` + aliases(`updateUser(input: {id: "user-an", labelIds: $ids}) { userErrors { code } }`, 20) + ` }`
	if _, body, calls := o.Ask(t, credential, label, list(2_000), nil); gatewaytest.CodeIn(body) != limits.CodeCost || calls != 0 {
		t.Errorf("labels of a user, twenty times: %d statements %.300s", calls, body)
	}
}
