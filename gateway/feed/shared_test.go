package feed

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// told is what an event tells, with everything that a view can change.
const told = `subscription { changes { cursor action noun objectId fields parents { noun id } clientId object { __typename id
	... on Customer { displayName version responsible { firstName } relations { totalCount } transcripts { totalCount } }
	... on Label { name color } } } }`

func TestEqualSubscriptionsShareTheirExecutions(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenMeasured(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	const streams, changes = 20, 50
	all := make([]gatewaytest.Subscription, streams)
	for i := range all {
		all[i] = f.Subscribes(t, told, nil)
	}
	for i := range changes {
		o.Write(t, f.Credential, fmt.Sprintf(`mutation { createLabel(input: {name: "Shared %d"}) { userErrors { code } } }`, i))
		first := ""
		for _, s := range all {
			e, _ := s.Next()
			if first = max(first, e.Data); e.Data != first || !strings.Contains(first, fmt.Sprintf(`"name":"Shared %d"`, i)) {
				t.Fatalf("%s, and another stream was told %s", e.Data, first)
			}
		}
	}
	const calls = `backoffice_store_calls_total{route="/graphql"}`
	written := o.Metric(t, calls)
	for _, s := range all {
		_ = s.Response.Body.Close()
	}
	for o.Streams(t) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	// Each execution reads the label. A slow machine shares fewer.
	if read := o.Metric(t, calls) - written; read < changes || read > changes*streams/2 {
		t.Errorf("%d statements read the objects of %d changes for %d streams", read, changes, streams)
	}
}

func TestSubscriptionsOfOtherViewsShareNothing(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all := o.Credential(t, backoffice.AllScopes...)
			responsible := func(user string) [2]string {
				return o.RestrictedCredential(t, "of "+user, backoffice.RestrictionFields{Responsible: []string{user}})
			}
			type stream struct {
				credential [2]string
				gatewaytest.Subscription
			}
			var streams []stream
			for _, credential := range [][2]string{all, o.Credential(t, backoffice.CustomersWrite), responsible("user-an"), responsible("user-bruno")} {
				for range 3 {
					streams = append(streams, stream{credential, o.Follower(t, credential).Subscribes(t, told, nil)})
				}
			}
			for i := range 12 {
				user, before := []string{"user-an", "user-bruno"}[i%2], o.LatestCursor(t)
				o.Write(t, all, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", responsibleId: %q, name: "Turn %d"}) { userErrors { code } } }`, user, i))
				for _, s := range streams {
					for _, want := range shownAfter(t, o, s.credential, before) {
						if e, _ := s.Next(); e.Data != want {
							t.Fatalf("%s is told\n%s\nand is shown\n%s", s.credential[0], e.Data, want)
						}
					}
				}
			}
		})
	}
}

// shownAfter are the changes after a cursor as a credential's list shows them, each as an event tells it.
func shownAfter(t *testing.T, o *gatewaytest.Office, credential [2]string, cursor string) (events []string) {
	t.Helper()
	selection := strings.TrimSuffix(strings.TrimPrefix(told, "subscription { changes { "), " } }")
	_, body, _ := o.Ask(t, credential, fmt.Sprintf(`{ changes(after: %q) { nodes { %s } } }`, cursor, selection), nil, nil)
	var answer struct {
		Data struct {
			Changes struct{ Nodes []json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%s %v", body, err)
	}
	for _, node := range answer.Data.Changes.Nodes {
		events = append(events, `{"data":{"changes":`+string(node)+`}}`)
	}
	return events
}

func TestANumberThatAnEventTellsIsReadByEachSubscriber(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	disclosed := func() int {
		_, body, _ := o.Ask(t, all, `{ customer(id: "els") { privacyAccesses { totalCount } } }`, nil, nil)
		var answer struct {
			Data struct {
				Customer struct{ PrivacyAccesses struct{ TotalCount int } }
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatalf("%s %v", body, err)
		}
		return answer.Data.Customer.PrivacyAccesses.TotalCount
	}
	const streams = 3
	var told []gatewaytest.Subscription
	for range streams {
		told = append(told, o.Follower(t, all).Subscribes(t, `subscription { changes { object { ... on Customer { registrationNumber } } } }`, nil))
	}
	before := disclosed()
	o.Write(t, all, `mutation { updateCustomer(input: {id: "els", phone: "+32 2 555 00 00"}) { userErrors { code } } }`)
	for _, s := range told {
		if e, _ := s.Next(); !strings.Contains(e.Data, `"registrationNumber":"`) {
			t.Fatal(e.Data)
		}
	}
	if got := disclosed() - before; got != streams {
		t.Errorf("%d disclosures are entered for %d subscribers", got, streams)
	}
}
