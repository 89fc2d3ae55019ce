package parity

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// What GraphQL shows of each noun, written as REST shows it.

const (
	selectCustomer   = "id type name displayName firstName lastName scopes kboNumber companyType address { street houseNumber box postalCode city country } customerCode registrationNumber spouseRegistrationNumber responsible { id } language email phone createdAt updatedAt version"
	selectTranscript = "id statusLabel isCompleted progressPercentage documentGenerated customVariables createdAt completedAt documentGeneratedAt sentAt updatedAt customer { id } checklist { id } financialYear { id }"
	selectChecklist  = "id name language authRequired remindersEnabled dueDate financialYear { id }"
	selectYear       = "id startDate endDate isCurrentYear archivedAt"
	selectLabel      = "id name color createdAt"
	selectUser       = "id firstName lastName displayName email language labels { id } version"
	selectRelation   = "id kind customer { id } relatedCustomer { id } sharePercent votePercent startDate endDate note nominee createdAt version"
	selectCalculated = "id stateLabel updatedAt transcript { id customer { id } } proposal { size }"
	selectFile       = "file { contentType size md5Hash timeCreated }"
	selectDocument   = "id name customer { id } createdAt " + selectFile
	selectMinfin     = "id name documentType customer { id } financialYear { id } synchronisedAt " + selectFile
)

// renamed gives a node its REST names: id is _id, and what it refers to is the identifier.
func renamed(node map[string]any, references ...string) map[string]any {
	shown := maps.Clone(node)
	shown["_id"] = node["id"]
	delete(shown, "id")
	for _, name := range references {
		if object, ok := node[name].(map[string]any); ok {
			shown[name] = object["id"]
		}
	}
	if file, ok := node["file"].(map[string]any); ok {
		maps.Copy(shown, file)
		delete(shown, "file")
	}
	return shown
}

// asCustomer shows a customer to a credential with privacy.read, or without.
func asCustomer(privacy bool) func(map[string]any) map[string]any {
	return func(node map[string]any) map[string]any {
		shown := renamed(node, "responsible")
		shown["type"] = customerWords[node["type"].(string)]
		shown["addressFields"] = node["address"]
		delete(shown, "address")
		if !privacy {
			delete(shown, "registrationNumber")
			delete(shown, "spouseRegistrationNumber")
		}
		return shown
	}
}

var customerWords = map[string]string{"COMPANY": "Company", "PRIVATE_PERSON": "Private Person"}

func asTranscript(node map[string]any) map[string]any {
	shown := renamed(node, "customer", "checklist", "financialYear")
	shown["status"] = node["statusLabel"]
	delete(shown, "statusLabel")
	return shown
}

func asRelation(node map[string]any) map[string]any {
	shown := renamed(node, "customer", "relatedCustomer")
	shown["kind"] = backoffice.RelationKind(node["kind"].(string)).Label()
	for _, percent := range []string{"sharePercent", "votePercent"} { // a text in REST
		if shown[percent] != nil {
			shown[percent] = fmt.Sprint(shown[percent])
		}
	}
	return shown
}

func asCalculation(node map[string]any) map[string]any {
	transcript := node["transcript"].(map[string]any)
	return map[string]any{
		"_id": node["id"], "state": node["stateLabel"], "updatedAt": node["updatedAt"], "transcript": transcript["id"],
		"customer": transcript["customer"].(map[string]any)["id"], "hasProposal": node["proposal"] != nil,
	}
}

func asUser(node map[string]any) map[string]any {
	shown := renamed(node)
	labels := []any{}
	for _, label := range node["labels"].([]any) {
		labels = append(labels, label.(map[string]any)["id"])
	}
	shown["labels"] = labels
	return shown
}

func asChecklist(node map[string]any) map[string]any { return renamed(node, "financialYear") }
func asPlain(node map[string]any) map[string]any     { return renamed(node) }
func asDocument(node map[string]any) map[string]any {
	return renamed(node, "customer", "financialYear")
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func flipped(m map[string]string) map[string]string {
	other := map[string]string{}
	for key, value := range m {
		other[value] = key
	}
	return other
}

func (f *twoAPIs) customerFilters(r *rapid.T) filters {
	chosen := filters{url.Values{}, map[string]any{}, false}
	f.one(r, &chosen, "language", "language", "language")
	f.one(r, &chosen, "responsible", "responsibleId", "id")
	f.one(r, &chosen, "email", "email", "email")
	f.one(r, &chosen, "customerCode", "customerCode", "customerCode")
	f.one(r, &chosen, "kboNumber", "kboNumber", "kboNumber")
	f.one(r, &chosen, "scope", "scope", "scopes")
	f.one(r, &chosen, "search", "search", "displayName")
	f.one(r, &chosen, "withoutChecklist", "withoutChecklistId", "id")
	f.one(r, &chosen, "updatedSince", "updatedSince", "updatedAt")
	f.one(r, &chosen, "registrationNumber", "registrationNumber", "registrationNumber")
	f.one(r, &chosen, "spouseRegistrationNumber", "spouseRegistrationNumber", "registrationNumber")
	f.words(r, &chosen, "type", map[string]string{"Company": "COMPANY", "Private Person": "PRIVATE_PERSON", "Club": "CLUB"})
	f.words(r, &chosen, "companyType", map[string]string{"BV": "BV", "NV": "NV", "XX": "XX"})
	for _, name := range sample(r, sortedKeys(asStrings(chosen.graphql)), 2) { // few filters at a time find something
		chosen.drop(name)
	}
	return chosen
}

// drop forgets a filter by its GraphQL name.
func (c *filters) drop(name string) {
	delete(c.graphql, name)
	c.query.Del(strings.TrimSuffix(name, "Id"))
}

func asStrings(m map[string]any) map[string]string {
	all := map[string]string{}
	for key := range m {
		all[key] = ""
	}
	return all
}

// sample draws which names are left out so that at most some are kept.
func sample(r *rapid.T, names []string, keep int) []string {
	if len(names) <= keep {
		return nil
	}
	return rapid.Permutation(names).Draw(r, "left out")[keep:]
}

func (f *twoAPIs) customers(r *rapid.T) {
	name, by := f.credential(r)
	f.paged(r, by, "/customers", "customers", "CustomerFilter", selectCustomer, f.customerFilters(r), asCustomer(name == "every scope"))
}

// searches ask the same in a body.
func (f *twoAPIs) searches(r *rapid.T) {
	name, by := f.credential(r)
	chosen := f.customerFilters(r)
	body := map[string]any{}
	for filter := range chosen.query {
		body[filter] = chosen.query.Get(filter)
	}
	if oneIn(r, 3, "by identifiers") {
		ids := rapid.SliceOfN(rapid.SampledFrom(append(f.pools["customers"], f.ids...)), 0, 20).Draw(r, "ids")
		body["ids"], chosen.graphql["ids"] = ids, ids
	}
	page, pageSize := rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(r, "page"), rapid.SampledFrom([]int{500, 7, 1}).Draw(r, "pageSize")
	status, answer, _ := f.rest(by, http.MethodPost, "/customers/search?page="+strconv.Itoa(page)+"&pageSize="+strconv.Itoa(pageSize), body)
	if status == http.StatusUnprocessableEntity { // a value that the body's schema excludes
		status = http.StatusBadRequest
	}
	f.compare(r, by, "/customers/search", "customers", "CustomerFilter", selectCustomer, chosen.graphql, page, pageSize, status, answer, asCustomer(name == "every scope"))
}

func (f *twoAPIs) transcripts(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, false}
	f.one(r, &chosen, "checklist", "checklistId", "id")
	f.one(r, &chosen, "financialYear", "financialYearId", "id")
	f.one(r, &chosen, "customer", "customerId", "id")
	f.one(r, &chosen, "responsible", "responsibleId", "id")
	f.one(r, &chosen, "updatedSince", "updatedSince", "updatedAt")
	for _, name := range sample(r, sortedKeys(asStrings(chosen.graphql)), 1) {
		chosen.drop(name)
	}
	for _, name := range []string{"isCompleted", "documentGenerated"} {
		if oneIn(r, 3, name+"?") {
			value := rapid.Bool().Draw(r, name)
			chosen.query.Set(name, strconv.FormatBool(value))
			chosen.graphql[name] = value
		}
	}
	some := 0
	if oneIn(r, 3, "status?") {
		some = 4
	}
	for _, status := range rapid.SliceOfN(rapid.SampledFrom(backoffice.TranscriptStatuses), min(some, 1), some).Draw(r, "status") {
		chosen.query.Add("status", status.Label())
		known, _ := chosen.graphql["status"].([]backoffice.TranscriptStatus)
		chosen.graphql["status"] = append(known, status)
	}
	f.paged(r, by, "/transcripts", "transcripts", "TranscriptFilter", selectTranscript, chosen, asTranscript)
}

func (f *twoAPIs) checklists(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, true}
	f.one(r, &chosen, "language", "language", "language")
	f.one(r, &chosen, "financialYear", "financialYearId", "id")
	f.paged(r, by, "/checklists", "checklists", "ChecklistFilter", selectChecklist, chosen, asChecklist)
}

func (f *twoAPIs) minfin(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, false}
	f.one(r, &chosen, "customer", "customerId", "id")
	f.one(r, &chosen, "financialYear", "financialYearId", "id")
	f.one(r, &chosen, "documentType", "documentType", "documentType")
	f.one(r, &chosen, "synchronisedSince", "synchronisedSince", "synchronisedAt")
	f.paged(r, by, "/minfin", "minfinDocuments", "MinfinDocumentFilter", selectMinfin, chosen, asDocument)
}

func (f *twoAPIs) users(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, true}
	f.one(r, &chosen, "search", "search", "email")
	f.paged(r, by, "/users", "users", "UserFilter", selectUser, chosen, asUser)
}

func (f *twoAPIs) relations(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, false}
	f.one(r, &chosen, "customer", "customerId", "id")
	f.one(r, &chosen, "relatedCustomer", "relatedCustomerId", "id")
	f.words(r, &chosen, "kind", map[string]string{"director": "DIRECTOR", "UBO": "UBO", "contact person": "CONTACT_PERSON", "friend": "FRIEND"})
	f.paged(r, by, "/relations", "relations", "CustomerRelationFilter", selectRelation, chosen, asRelation)
}

func (f *twoAPIs) calculations(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, false}
	f.one(r, &chosen, "customer", "customerId", "id")
	f.one(r, &chosen, "transcript", "transcriptId", "id")
	if oneIn(r, 3, "hasProposal?") {
		value := rapid.Bool().Draw(r, "hasProposal")
		chosen.query.Set("hasProposal", strconv.FormatBool(value))
		chosen.graphql["hasProposal"] = value
	}
	if oneIn(r, 3, "state?") {
		states := rapid.SliceOfN(rapid.SampledFrom(backoffice.CalculationStates), 1, 4).Draw(r, "state")
		chosen.graphql["state"] = states
		for _, state := range states {
			chosen.query.Add("state", state.Label())
		}
	}
	f.paged(r, by, "/calculations", "calculations", "CalculationFilter", selectCalculated, chosen, asCalculation)
}

func (f *twoAPIs) documents(r *rapid.T) {
	_, by := f.credential(r)
	chosen := filters{url.Values{}, map[string]any{}, true}
	f.one(r, &chosen, "customer", "customerId", "id")
	f.paged(r, by, "/documents", "documents", "CustomerDocumentFilter", selectDocument, chosen, asDocument)
}

func (f *twoAPIs) plainLists(r *rapid.T) {
	_, by := f.credential(r)
	none := filters{url.Values{}, nil, false}
	if rapid.Bool().Draw(r, "labels") {
		none.named = true
		f.paged(r, by, "/settings/labels", "labels", "", selectLabel, none, asPlain)
	} else {
		f.paged(r, by, "/financialyears", "financialYears", "", selectYear, none, asPlain)
	}
}

// nested lists hang on a customer.
func (f *twoAPIs) nested(r *rapid.T) {
	_, by := f.credential(r)
	id, field, selection, show := rapid.SampledFrom(append(f.pools["customers"], "nobody", "x y", f.ids[len(f.ids)/2])).Draw(r, "customer"), "relations", selectRelation, asRelation
	if rapid.Bool().Draw(r, "documents") {
		field, selection, show = "documents", selectDocument, asDocument
	}
	page, pageSize := rapid.SampledFrom([]int{1, 1, 1, 2, 0}).Draw(r, "page"), rapid.SampledFrom([]int{100, 2, 1, 100, 501}).Draw(r, "pageSize")
	path := "/customers/" + url.PathEscape(id) + "/" + field
	status, body, _ := f.rest(by, http.MethodGet, path+"?page="+strconv.Itoa(page)+"&pageSize="+strconv.Itoa(pageSize), nil)
	data, codes := f.graphql(by, "query($id: ID!, $page: Int, $pageSize: Int) { customer(id: $id) { list: "+field+"(page: $page, pageSize: $pageSize) { totalCount nodes { "+selection+" } } } }",
		map[string]any{"id": id, "page": page, "pageSize": pageSize})
	customer, _ := data["customer"].(map[string]any)
	if customer == nil && !codes["BAD_USER_INPUT"] {
		if status != http.StatusNotFound && (status != http.StatusBadRequest || page > 0 && pageSize <= 500) {
			r.Fatalf("%s: REST answers %d for a customer that GraphQL does not know", path, status)
		}
		return
	}
	f.same(r, by, path, customer["list"], codes, page, pageSize, status, body, show)
}

// objects compares one object of any noun.
func (f *twoAPIs) objects(r *rapid.T) {
	name, by := f.credential(r)
	noun := rapid.SampledFrom([]string{"customer", "transcript", "checklist", "user", "minfinDocument", "currentFinancialYear"}).Draw(r, "noun")
	id := rapid.SampledFrom(f.idsOf(noun)).Draw(r, "id")
	path := map[string]string{
		"customer": "/customers/" + id, "transcript": "/transcripts/" + id, "checklist": "/checklists/" + id, "user": "/users/" + id,
		"minfinDocument": "/minfin/metadata/" + id, "currentFinancialYear": "/financialyears/current",
	}[noun]
	selection := map[string]string{
		"customer": selectCustomer, "transcript": selectTranscript, "checklist": selectChecklist, "user": selectUser, "minfinDocument": selectMinfin, "currentFinancialYear": selectYear,
	}[noun]
	show := map[string]func(map[string]any) map[string]any{
		"customer": asCustomer(name == "every scope"), "transcript": asTranscript, "checklist": asChecklist, "user": asUser, "minfinDocument": asDocument, "currentFinancialYear": asPlain,
	}[noun]
	query := "query($id: ID!) { object: " + noun + "(id: $id) { " + selection + " } }"
	if noun == "currentFinancialYear" {
		query = "{ object: currentFinancialYear { " + selection + " } }"
	}
	status, body, _ := f.rest(by, http.MethodGet, path, nil)
	data, codes := f.graphql(by, query, map[string]any{"id": id})
	object, _ := data["object"].(map[string]any)
	switch {
	case noun == "minfinDocument" && name != "every scope":
		f.agree(r, path, []any{status, true}, []any{http.StatusForbidden, codes["FORBIDDEN"]})
	case object == nil:
		f.agree(r, path, status, http.StatusNotFound)
	default:
		f.agree(r, path, status, http.StatusOK)
		f.agree(r, path, body, show(object))
	}
}

// texts are what people, and others, write into fields.
var texts = rapid.OneOf(
	rapid.StringN(1, 30, 200).Filter(func(s string) bool { return backoffice.CheckText(s, backoffice.MaxText) == nil }),
	rapid.SampledFrom([]string{"Zoë", "日本語", "🦊", "<b>&amp;</b>", `a"b\c`, "é", "ÉLAN", " x ", "O'Neill", "%_", "null", "\u00a0x", "Straße"}),
)

// change rewrites a customer and a transcript with values that no demo has.
func (f *twoAPIs) change(r *rapid.T) {
	id := rapid.SampledFrom(f.pools["id"]).Draw(r, "id")
	name, code, city := texts.Draw(r, "name"), texts.Draw(r, "code"), texts.Draw(r, "city")
	progress, text := rapid.Float64Range(0, 100).Draw(r, "progress"), texts.Draw(r, "variable")
	at := backoffice.InstantAt(rapid.OneOf(rapid.Int64Range(parityDay-1_000_000, parityDay+1_000_000), rapid.Just[int64](0)).Draw(r, "at"))
	variables, err := backoffice.JSONOf(map[string]any{text: []any{text, progress, nil, map[string]any{}}, "n": progress})
	if err != nil {
		r.Fatal(err)
	}
	err = f.o.Store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
		customers, err := backoffice.ReadByID(ctx, tx.Customers(), []string{id}, 0)
		if err != nil {
			return err
		}
		transcripts, err := backoffice.ReadByID(ctx, tx.Transcripts(), []string{id}, 0)
		if err != nil {
			return err
		}
		if c := customers[id]; c != nil {
			c.OwnName, c.CustomerCode, c.Address.City, c.Address.Box, c.UpdatedAt, c.Version = backoffice.Text(name), backoffice.Text(id+code), backoffice.Text(city), "", at, c.Version+1
			c.DisplayName = backoffice.DisplayNameOf(c)
			if len(id+code) > 200 {
				c.CustomerCode = ""
			}
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{c})
		}
		if t := transcripts[id]; t != nil {
			t.ProgressPercentage, t.CustomVariables, t.OwnUpdatedAt, t.IsCompleted = progress, variables, at, progress > 50
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{t})
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
}
