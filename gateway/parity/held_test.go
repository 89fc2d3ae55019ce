package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

// heldOverview is the overview of a customer, as it is answered.
type heldOverview struct {
	Customer string
	Records  []struct {
		Noun          string
		RequiredScope *string
		Count, Files  int
		Fields        []struct {
			Name   string
			Filled int
		}
		First, Last *string
	}
	Values map[string]json.RawMessage
}

func (h heldOverview) counts() (all map[string]int) {
	all = map[string]int{}
	for _, of := range h.Records {
		all[of.Noun] = of.Count
	}
	return all
}

func (h heldOverview) fields(noun string) (names []string) {
	for _, of := range h.Records {
		if of.Noun == noun {
			for _, field := range of.Fields {
				names = append(names, field.Name)
			}
		}
	}
	return names
}

// held asks for an overview; header is a purpose, "" for none.
func held(t *testing.T, o *gatewaytest.Office, credential [2]string, path, purpose string) (status int, text string, h heldOverview) {
	t.Helper()
	r := gatewaytest.NewRequest(t, credential, http.MethodGet, path, "")
	if purpose != "" {
		r.Header.Set(privacy.PurposeHeader, purpose)
	}
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	w := o.Serve(r)
	if w.Code == http.StatusOK && w.Header().Get("Content-Encoding") != "" {
		t.Error("what is said of numbers is compressed")
	} else if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
	}
	return w.Code, w.Body.String(), h
}

// notOfAPerson are the nouns of which no record belongs to a customer.
var notOfAPerson = []backoffice.Noun{backoffice.NounLabel, backoffice.NounUser, backoffice.NounFinancialYear, backoffice.NounChecklist}

func TestAllThatIsKeptOfAPersonIsToldWithoutItsValues(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		all, numbers := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.PrivacyRead)
		for _, customer := range gatewaytest.All(t, o.Store.Customers()) {
			status, text, h := held(t, o, all, "/customers/"+customer.ID+"/held", "")
			if status != http.StatusOK || h.Customer != customer.ID || h.Values != nil {
				t.Fatalf("%d %s", status, text)
			}
			if want, got := keptOf(t, o, all, customer.ID), h.counts(); !maps.Equal(got, want) {
				t.Errorf("of %s are told %v, and there are %v", customer.ID, got, want)
			}
			shown := o.Send(t, all, http.MethodGet, "/customers/"+customer.ID, "").Body.String()
			if want, got := filledIn(t, shown), h.fields("customer"); !slices.Equal(got, want) {
				t.Errorf("of %s are told %q, and filled are %q", customer.ID, got, want)
			}
			for value := range strings.SplitSeq(strings.Join([]string{string(customer.Email), string(customer.Phone), customer.DisplayName}, "\n"), "\n") {
				if value != "" && value != customer.ID && strings.Contains(text, value) {
					t.Errorf("of %s a value is told: %s", customer.ID, text)
				}
			}
			without, text, h := held(t, o, numbers, "/customers/"+customer.ID+"/held", "")
			if without != http.StatusOK || h.counts()["minfin document"] != 0 || !strings.Contains(text, `"noun":"minfin document","requiredScope":"minfin.read","count":0`) {
				t.Errorf("without minfin.read: %d %s", without, text)
			}
		}
		if entries := o.RegisterEntries(t); slices.ContainsFunc(entries, func(e string) bool { return strings.Contains(e, "EXPORT") }) {
			t.Errorf("an overview without values is entered: %v", entries)
		}
	})
}

// keptOf are the records of a customer, by noun, as GraphQL counts them.
func keptOf(t *testing.T, o *gatewaytest.Office, credential [2]string, id string) map[string]int {
	t.Helper()
	var answer struct {
		Data struct {
			Customer map[string]struct{ TotalCount int }
		}
	}
	lists := map[backoffice.Noun]string{
		backoffice.NounRelation: "relations", backoffice.NounTranscript: "transcripts", backoffice.NounDocument: "documents",
		backoffice.NounMinfin: "minfinDocuments", backoffice.NounDiscrepancy: "discrepancies", backoffice.NounConsultation: "privacyAccesses",
	}
	query := `{ customer(id: "` + id + `") {`
	for _, field := range lists {
		query += " " + field + " { totalCount }"
	}
	if err := json.Unmarshal([]byte(o.Answers(t, credential, query+` } }`)), &answer); err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{"customer": 1}
	for _, of := range append(backoffice.Nouns[:], backoffice.ConsultationTable) {
		switch noun := of.Name(); {
		case lists[noun] != "":
			kept[string(noun)] = answer.Data.Customer[lists[noun]].TotalCount
		case noun == backoffice.NounCalculation:
			for _, c := range gatewaytest.All(t, o.Store.Calculations()) {
				if c.CustomerID == id {
					kept[string(noun)]++
				}
			}
			kept[string(noun)] += 0
		case noun != backoffice.NounCustomer && !slices.Contains(notOfAPerson, noun):
			t.Errorf("is a %s kept of a person, or not?", noun)
		}
	}
	return kept
}

// filledIn are the fields of a shown record that hold something, by their names in REST.
func filledIn(t *testing.T, shown string) (names []string) {
	t.Helper()
	var look func(prefix string, record map[string]any)
	look = func(prefix string, record map[string]any) {
		for name, value := range record {
			if part, ok := value.(map[string]any); ok {
				look(name+".", part)
			} else if list, ok := value.([]any); value != nil && (!ok || len(list) > 0) {
				names = append(names, prefix+name)
			}
		}
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(shown), &record); err != nil {
		t.Fatal(err)
	}
	look("", record)
	slices.Sort(names)
	return names
}

func TestTheValuesOfWhatIsKeptNeedAPurposeThatTheRegisterHas(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all, none := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite, backoffice.MinfinRead)
			for _, path := range []string{"/customers/els/held", "/customers/els/held?values=true", "/customers/nobody/held"} {
				if status, text, _ := held(t, o, none, path, "an access request"); status != http.StatusForbidden || !strings.Contains(text, `"requiredScope":"privacy.read"`) {
					t.Errorf("%s without privacy.read: %d %s", path, status, text)
				}
			}
			if status, text, _ := held(t, o, all, "/customers/els/held?values=true", ""); status != http.StatusBadRequest || strings.Contains(text, "850730") {
				t.Errorf("without a purpose: %d %s", status, text)
			}
			if status, _, _ := held(t, o, all, "/customers/nobody/held?values=true", "an access request"); status != http.StatusNotFound {
				t.Errorf("of nobody: %d", status)
			}
			if w := o.Download(t, all, http.MethodHead, "/customers/els/held?values=true", "", privacy.PurposeHeader, "an access request"); w.Code != http.StatusOK || w.Body.Len() > 0 {
				t.Errorf("HEAD: %d %s", w.Code, w.Body)
			}
			if entries := o.RegisterEntries(t); len(entries) > 0 {
				t.Fatalf("entries for nothing: %v", entries)
			}
			for _, id := range []string{"els", "acme"} { // acme has no numbers
				status, text, h := held(t, o, all, "/customers/"+id+"/held?values=true", "an access request")
				if status != http.StatusOK || h.Values == nil {
					t.Fatalf("%d %s", status, text)
				}
				if shown := o.Send(t, all, http.MethodGet, "/customers/"+id, "").Body.String(); strings.TrimSpace(shown) != string(h.Values["customer"]) {
					t.Errorf("%s: %s, and shown is %s", id, h.Values["customer"], shown)
				}
				for name, noun := range map[string]string{"relations": "relation", "transcripts": "transcript", "calculations": "calculation", "documents": "document", "minfin": "minfin document", "consultations": "consultation"} {
					var list []json.RawMessage
					if err := json.Unmarshal(h.Values[name], &list); err != nil || len(list) != h.counts()[noun] {
						t.Errorf("%s of %s: %d of %d (%v)", name, id, len(list), h.counts()[noun], err)
					}
				}
			}
			var exports []string
			entries, err := o.Store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 100)
			for _, e := range entries {
				if e.Operation == backoffice.ConsultedByExport {
					exports = append(exports, fmt.Sprint(*e.CustomerID, " ", *e.Purpose, " ", len(e.Fields)))
				}
			}
			if err != nil || !slices.Equal(exports, []string{"els an access request 2", "acme an access request 0"}) {
				t.Errorf("%q %v", exports, err)
			}
			if said := o.Answers(t, all, `{ customer(id: "acme") { privacyAccesses { nodes { operation fields purpose } } } }`); !strings.Contains(said, `{"operation":"EXPORT","fields":[],"purpose":"an access request"}`) {
				t.Error(said)
			}
			verified, err := o.Keys.Verify(t.Context(), o.Store, "", func(p privacy.Problem) { t.Error(p) })
			if err != nil || verified.Problems > 0 {
				t.Errorf("%+v %v", verified, err)
			}
			if said := o.Answers(t, all, `mutation { deleteCustomer(input: {id: "els"}) { userErrors { code } } }`); !strings.Contains(said, `"userErrors":[]`) {
				t.Fatal(said)
			}
			if status, text, _ := held(t, o, all, "/customers/els/held", ""); status != http.StatusNotFound {
				t.Errorf("of a customer that was deleted: %d %s", status, text)
			}
		})
	}
}

func TestWhatIsKeptOfAPersonFollowsRestrictionAndRights(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		all := o.Credential(t, backoffice.AllScopes...)
		only, year := o.RestrictedCredential(t, "only", backoffice.RestrictionFields{Customers: []string{"acme"}}), o.RestrictedCredential(t, "year", backoffice.RestrictionFields{Years: []string{"2025"}})
		_, _, whole := held(t, o, all, "/customers/acme/held", "")
		_, _, part := held(t, o, only, "/customers/acme/held", "")
		if whole.counts()["relation"] == 0 || part.counts()["relation"] != 0 || part.counts()["transcript"] != whole.counts()["transcript"] {
			t.Errorf("of acme alone %v, and of all %v", part.counts(), whole.counts())
		}
		for id, credential := range map[string][2]string{"cafe": only, "nobody": only} {
			if status, text, _ := held(t, o, credential, "/customers/"+id+"/held?values=true", "a look"); status != http.StatusNotFound {
				t.Errorf("%s: %d %s", id, status, text)
			}
		}
		for _, customer := range gatewaytest.All(t, o.Store.Customers()) {
			status, text, h := held(t, o, year, "/customers/"+customer.ID+"/held?values=true", "a look")
			if status == http.StatusOK && (strings.Contains(string(h.Values["transcripts"]), "year-2026") || h.counts()["transcript"] == 0) {
				t.Errorf("%s: %s", customer.ID, text)
			}
		}
		now := backoffice.InstantOf(time.Now())
		err := o.Store.UpdateCredential(t.Context(), "only", func(c *backoffice.Credential) error {
			return c.ChangeScopes(nil, []backoffice.Scope{backoffice.PrivacyRead}, now)
		})
		if err != nil {
			t.Fatal(err)
		}
		status := http.StatusOK
		for began := time.Now(); status == http.StatusOK && time.Since(began) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
			status, _, _ = held(t, o, only, "/customers/acme/held", "")
		}
		if status != http.StatusForbidden {
			t.Errorf("without the scope: %d", status)
		}
	})
}
