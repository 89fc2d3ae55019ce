package ownership_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/ownership"
)

var published = ownership.Publication{Publisher: "An office", Date: "2027-07-10"}

func describe(id string) ownership.Party {
	return ownership.Party{Name: "Name of " + id, Natural: natural(id), KBONumber: map[string]string{
		"T": "0403019261", "p": "0403019261",
	}[id]}
}

func statementsOf(t *testing.T, g *ownership.Graph, rule ownership.Rule, directors ...string) string {
	t.Helper()
	found, err := g.BeneficialOwners(rule, ownership.Percent{}, natural, directors)
	if err != nil {
		t.Fatal(err)
	}
	content, err := g.Statements(published, describe, found)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// about is a statement without what all have in common.
func about(record, kind, details string) string {
	return `{"statementId":"…","declarationSubject":"customer/T","statementDate":"2027-07-10",` +
		`"publicationDetails":{"publicationDate":"2027-07-10","bodsVersion":"0.4","publisher":{"name":"An office"}},` +
		`"recordId":"` + record + `","recordType":"` + kind + `","recordDetails":` + details + `}`
}

var statementID = regexp.MustCompile(`"statementId":"[0-9a-f]{64}"`)

func TestStatementsFollowTheStandard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines string
		want  []string
	}{
		"an owner through a company, and a share that is unknown": {"p 50 A\n A 60/70 T\n q ? T", []string{
			about("customer/T", "entity", `{"isComponent":false,"entityType":{"type":"registeredEntity"},"name":"Name of T",`+
				`"identifiers":[{"id":"0403019261","scheme":"BE-BCE_KBO","schemeName":"Crossroads Bank for Enterprises"}]}`),
			about("customer/A", "entity", `{"isComponent":true,"entityType":{"type":"legalEntity"},"name":"Name of A"}`),
			about("customer/q", "person", `{"isComponent":false,"personType":"knownPerson","names":[{"fullName":"Name of q"}]}`),
			about("customer/p", "person", `{"isComponent":false,"personType":"knownPerson","names":[{"fullName":"Name of p"}]}`),
			about("relation/AT", "relationship", `{"isComponent":true,"subject":"customer/T","interestedParty":"customer/A",`+
				`"interests":[{"type":"shareholding","directOrIndirect":"direct","beneficialOwnershipOrControl":false,`+
				`"share":{"exact":60}},{"type":"votingRights","directOrIndirect":"direct",`+
				`"beneficialOwnershipOrControl":false,"share":{"exact":70}}]}`),
			about("relation/qT", "relationship", `{"isComponent":false,"subject":"customer/T","interestedParty":"customer/q",`+
				`"interests":[{"type":"shareholding","directOrIndirect":"direct","beneficialOwnershipOrControl":false}]}`),
			about("relation/pA", "relationship", `{"isComponent":true,"subject":"customer/A","interestedParty":"customer/p",`+
				`"interests":[{"type":"shareholding","directOrIndirect":"direct","beneficialOwnershipOrControl":false,`+
				`"share":{"exact":50}}]}`),
			about("owner/customer/p", "relationship", `{"isComponent":false,`+
				`"componentRecords":["customer/A","relation/AT","relation/pA"],"subject":"customer/T",`+
				`"interestedParty":"customer/p","interests":[{"type":"shareholding","directOrIndirect":"indirect",`+
				`"beneficialOwnershipOrControl":true,"share":{"exact":30}},{"type":"votingRights",`+
				`"directOrIndirect":"indirect","beneficialOwnershipOrControl":true}]}`),
		}},
		"a direct owner": {"p 33.3333 T", []string{
			about("customer/T", "entity", `{"isComponent":false,"entityType":{"type":"registeredEntity"},"name":"Name of T",`+
				`"identifiers":[{"id":"0403019261","scheme":"BE-BCE_KBO","schemeName":"Crossroads Bank for Enterprises"}]}`),
			about("customer/p", "person", `{"isComponent":false,"personType":"knownPerson","names":[{"fullName":"Name of p"}]}`),
			about("relation/pT", "relationship", `{"isComponent":false,"subject":"customer/T","interestedParty":"customer/p",`+
				`"interests":[{"type":"shareholding","directOrIndirect":"direct","beneficialOwnershipOrControl":true,`+
				`"share":{"exact":33.3333}}]}`),
		}},
		"nobody but a director": {"", []string{
			about("customer/T", "entity", `{"isComponent":false,"entityType":{"type":"registeredEntity"},"name":"Name of T",`+
				`"identifiers":[{"id":"0403019261","scheme":"BE-BCE_KBO","schemeName":"Crossroads Bank for Enterprises"}]}`),
			about("customer/d", "person", `{"isComponent":false,"personType":"knownPerson","names":[{"fullName":"Name of d"}]}`),
			about("owner/customer/d", "relationship", `{"isComponent":false,"subject":"customer/T",`+
				`"interestedParty":"customer/d","interests":[{"type":"seniorManagingOfficial","directOrIndirect":"direct",`+
				`"beneficialOwnershipOrControl":true}]}`),
		}},
	} {
		written := statementsOf(t, owners(t, c.lines), ownership.EU2024, "d")
		got := statementID.ReplaceAllString(written, `"statementId":"…"`)
		if want := "[" + strings.Join(c.want, ",") + "]"; got != want {
			t.Errorf("%s:\n%s\nnot\n%s", name, got, want)
		}
		if again := statementsOf(t, owners(t, c.lines), ownership.EU2024, "d"); again != written {
			t.Errorf("%s: written otherwise the second time", name)
		}
	}
}

func TestAComputedShareIsARangeIfSharesAreUnknown(t *testing.T) {
	t.Parallel()
	written := statementsOf(t, owners(t, "A 100 T\n B 50 A\n p 60 B\n p ? A"), ownership.EU2024)
	if !strings.Contains(written, `"share":{"minimum":30,"maximum":80}`) {
		t.Error(written)
	}
}

func TestComputedVotesAreExactOnlyIfAllOfTheirChainsAreKnown(t *testing.T) {
	t.Parallel()
	const votes = `{"type":"votingRights","directOrIndirect":"indirect","beneficialOwnershipOrControl":true`
	for lines, want := range map[string]string{
		"p 50/60 A\n A 60/70 T\n q 5 T": votes + `,"share":{"exact":42}}`,
		"p 50 A\n A 60/70 T":            votes + `}`,
		"p 50 A\n A 60 T\n q 40/40 T":   "",
	} {
		written := statementsOf(t, owners(t, lines), ownership.EU2024)
		if strings.Contains(written, votes) != (want != "") || !strings.Contains(written, want) {
			t.Errorf("%q: %s", lines, written)
		}
	}
}

func TestANomineeOwnsForSomeoneElse(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]int{
		"p 60/60 T": 0, "p 60/60 A\n A 100/100 T": 0, "p 60/60 A\n A 100/100 T\n p 5/5 B\n B 5/5 A": 2,
	} {
		holdings := holdingsOf(t, lines)
		holdings[0].Nominee = true
		written := statementsOf(t, graphOf(t, holdings, ownership.Owners, "T"), ownership.EU2024)
		if got := strings.Count(written, `"beneficialOwnershipOrControl":true`); got != want {
			t.Errorf("%q: %d interests in %s", lines, got, written)
		}
	}
}

func TestAStatementShowsDatesAndNominees(t *testing.T) {
	t.Parallel()
	holdings := holdingsOf(t, "p 10 T")
	holdings[0].Nominee, holdings[0].StartDate, holdings[0].EndDate = true, "2020-01-31", "2030-12-31"
	written := statementsOf(t, graphOf(t, holdings, ownership.Owners, "T"), ownership.EU2024)
	for _, part := range []string{
		`{"type":"shareholding","directOrIndirect":"direct","beneficialOwnershipOrControl":false,"share":{"exact":10},` +
			`"startDate":"2020-01-31","endDate":"2030-12-31"}`,
		`{"type":"nominee","directOrIndirect":"direct","beneficialOwnershipOrControl":false,` +
			`"startDate":"2020-01-31","endDate":"2030-12-31"}`,
	} {
		if !strings.Contains(written, part) {
			t.Errorf("%s is not in %s", part, written)
		}
	}
	drawn := picture(t, graphOf(t, holdings, ownership.Owners, "T"), describe)
	if !strings.Contains(drawn, ">10 %, nominee<") || !strings.Contains(drawn, "of Name of T as a nominee. ") {
		t.Error(drawn)
	}
}

// TestEveryRecordOfAStatementComesBefore checks what the schemas cannot: a record comes before those that name it, and
// components are named.
func TestEveryRecordOfAStatementComesBefore(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		holdings, _ := randomHoldings(r)
		for i := range holdings { // 0 to 3 are companies
			for _, id := range []*string{&holdings[i].HolderID, &holdings[i].HeldID} {
				*id = map[bool]string{true: "p", false: "T"}[*id > "3"] + *id
			}
		}
		holdings = append(holdings[:0], companiesOnly(holdings)...)
		written := statementsOf(t, graphOf(t, holdings, ownership.Owners, "T0"), ownership.EU2024, "d")
		var statements []struct {
			StatementID, RecordID, RecordType string
			RecordDetails                     struct {
				IsComponent              bool
				ComponentRecords         []string
				Subject, InterestedParty string
			}
		}
		if err := json.Unmarshal([]byte(written), &statements); err != nil {
			t.Fatal(err)
		}
		component, named, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, s := range statements {
			details := s.RecordDetails
			before := details.ComponentRecords
			if s.RecordType == "relationship" {
				before = append(before, details.Subject, details.InterestedParty)
			}
			for _, record := range before {
				if _, known := component[record]; !known {
					t.Fatalf("%s names %s too early", s.RecordID, record)
				}
			}
			for _, record := range details.ComponentRecords {
				named[record] = true
			}
			if _, known := component[s.RecordID]; known || ids[s.StatementID] {
				t.Fatalf("%s is there twice", s.RecordID)
			}
			component[s.RecordID], ids[s.StatementID] = details.IsComponent, true
		}
		for record, is := range component {
			if is != named[record] {
				t.Fatalf("%s: component %v, named %v", record, is, named[record])
			}
		}
	}
}

// companiesOnly leaves out holdings of persons, whom nobody holds.
func companiesOnly(holdings []ownership.Holding) (kept []ownership.Holding) {
	for _, h := range holdings {
		if !natural(h.HeldID) {
			kept = append(kept, h)
		}
	}
	return kept
}
