package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// assignTo assigns a checklist and reads the customer's transcripts back within the payload.
const assignTo = `mutation($customer: ID!) { assignChecklist(input: {customerId: $customer, checklistId: "list-2026-nl"}) {
	transcript { id customer { transcripts(first: 500) { totalCount nodes { id } } } } userErrors { code } } }`

const transcriptsOf = `query($customer: ID!) { customer(id: $customer) { transcripts(first: 500) { totalCount nodes { id } } } }`

// transcriptList is a list of transcripts in an answer.
type transcriptList struct {
	TotalCount int
	Nodes      []struct{ ID string }
}

func (l transcriptList) has(id string) bool {
	for _, node := range l.Nodes {
		if node.ID == id {
			return l.TotalCount == len(l.Nodes)
		}
	}
	return false
}

// assignTranscript makes a transcript and returns its identifier, and the list in the payload.
func assignTranscript(t *testing.T, o *gatewaytest.Office, credential [2]string, customer string) (id string, list transcriptList) {
	t.Helper()
	_, body, _ := o.Ask(t, credential, assignTo, json.RawMessage(`{"customer": "`+customer+`"}`), nil)
	var answer struct {
		Data struct {
			AssignChecklist struct {
				Transcript struct {
					ID       string
					Customer struct{ Transcripts transcriptList }
				}
			}
		}
	}
	made := &answer.Data.AssignChecklist.Transcript
	if err := json.Unmarshal(body, &answer); err != nil || made.ID == "" {
		t.Fatalf("%s %v", body, err)
	}
	return made.ID, made.Customer.Transcripts
}

func listTranscripts(t *testing.T, o *gatewaytest.Office, credential [2]string, customer string) transcriptList {
	t.Helper()
	_, body, _ := o.Ask(t, credential, transcriptsOf, json.RawMessage(`{"customer": "`+customer+`"}`), nil)
	var answer struct {
		Data struct {
			Customer *struct{ Transcripts transcriptList }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data.Customer == nil {
		t.Fatalf("%s %v", body, err)
	}
	return answer.Data.Customer.Transcripts
}

func TestWritersSeeTheirWritesInPayloadsAndOnEveryInstanceWhileTheReplicaStandsStill(t *testing.T) {
	t.Parallel()
	servers := pgtest.NewPair(t)
	database := servers.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	filled := gatewaytest.OpenOn(t, database)
	writer, reader := filled.Credential(t, backoffice.AllScopes...), filled.Credential(t)
	settings := gatewaytest.Settings(t, database)
	settings.Replicas = []string{servers.Standby.URL("backoffice")}
	instances := []*gatewaytest.Office{gatewaytest.Serve(t, settings, gatewaytest.Limits()), gatewaytest.Serve(t, settings, gatewaytest.Limits())}

	// The replica stands still from here on. It answers a reader who wrote nothing with what it has, as long as that is
	// recent: so it is known to answer.
	behind := false
	for attempt := 0; !behind; attempt++ {
		if attempt == 10 {
			t.Fatal("the replica never answered")
		}
		servers.Standby.Execute(t, "backoffice", "SELECT pg_wal_replay_resume()")
		for until := time.Now().Add(300 * time.Millisecond); time.Now().Before(until); { // reads make the instances look for it
			for _, instance := range instances {
				listTranscripts(t, instance, reader, "acme")
			}
		}
		servers.Standby.Execute(t, "backoffice", "SELECT pg_wal_replay_pause()")
		behind = true
		for i, instance := range instances {
			id, list := assignTranscript(t, instance, writer, "acme")
			if !list.has(id) {
				t.Fatal("the payload's nested reads miss the write")
			}
			behind = behind && !listTranscripts(t, instance, reader, "acme").has(id)
			for _, any := range []*gatewaytest.Office{instance, instances[1-i]} {
				if !listTranscripts(t, any, writer, "acme").has(id) {
					t.Fatal("the writer's next query misses the write")
				}
				if w := any.Send(t, writer, http.MethodGet, "/transcripts/"+id, ""); w.Code != http.StatusOK {
					t.Fatalf("the writer's next request of REST misses the write: %d %s", w.Code, w.Body)
				}
			}
		}
	}

	// The replica is still; what REST writes is seen too, and what is deleted is seen no more.
	for i, instance := range instances {
		other := instances[1-i]
		name := fmt.Sprint("label ", i)
		w := instance.Send(t, writer, http.MethodPost, "/settings/labels", `{"name": "`+name+`", "color": "#112233"}`)
		if w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for _, any := range []*gatewaytest.Office{instance, other} {
			if _, body, _ := any.Ask(t, writer, `{ labels(first: 500) { nodes { name } } }`, nil, nil); !strings.Contains(string(body), name) {
				t.Errorf("the writer misses the label: %s", body)
			}
		}
		made := instance.MakeCustomerAs(t, writer)
		if w := other.Send(t, writer, http.MethodDelete, "/customers/"+made, ""); w.Code != http.StatusNoContent {
			t.Errorf("the other instance does not know what to delete: %d %s", w.Code, w.Body)
		}
		if w := instance.Send(t, writer, http.MethodGet, "/customers/"+made, ""); w.Code != http.StatusNotFound {
			t.Errorf("what the writer deleted is still seen: %d", w.Code)
		}
	}
	// Several root fields are executed one after the other, and each sees what those before it wrote.
	_, body, _ := instances[0].Ask(t, writer, `mutation {
		first: updateCustomer(input: {id: "cafe", name: "First"}) { customer { name } }
		second: assignChecklist(input: {customerId: "cafe", checklistId: "list-2026-nl"}) { transcript { customer { name } } }
		third: updateCustomer(input: {id: "cafe", name: "Third"}) { customer { name transcripts { totalCount } } } }`, nil, nil)
	const want = `{"data":{"first":{"customer":{"name":"First"}},"second":{"transcript":{"customer":{"name":"First"}}},"third":{"customer":{"name":"Third","transcripts":{"totalCount":2}}}}}`
	if got := strings.TrimSpace(string(body)); got != want {
		t.Errorf("%s", got)
	}
}
