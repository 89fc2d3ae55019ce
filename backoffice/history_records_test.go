package backoffice_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func (m *model) createRelation(r *rapid.T) {
	draft := m.relationDraft(r)
	key := m.key(r)
	m.repeatable(r, key, func(r *rapid.T) { m.createThisRelation(r, draft, key) })
}

// relationDraft draws a relation, of all time or of a period.
func (m *model) relationDraft(r *rapid.T) backoffice.RelationDraft {
	draft := backoffice.RelationDraft{
		CustomerID: anyOf(r, m, m.customers, "customer"), RelatedCustomerID: anyOf(r, m, m.customers, "related"),
		Kind: rapid.SampledFrom(backoffice.RelationKinds[:2]).Draw(r, "kind"),
	}
	draft.SharePercent = ifSent(optional(r, "share", "50", "33.3333"))
	draft.StartDate = ifSent(optional(r, "start", days...))
	draft.EndDate = ifSent(optional(r, "end", days...))
	return draft
}

var days = []string{"2025-01-01", "2025-12-31", "2026-01-01"}

func ifSent(sent backoffice.Optional[string]) *string {
	if value, ok := sent.Get(); ok {
		return &value
	}
	return nil
}

// stored is the relation that a draft makes.
func stored(id string, d *backoffice.RelationDraft) *backoffice.CustomerRelation {
	r := &backoffice.CustomerRelation{ID: id, CustomerID: d.CustomerID, RelatedCustomerID: d.RelatedCustomerID, Kind: d.Kind, Version: 1}
	for to, from := range map[*backoffice.Text]*string{&r.SharePercent: d.SharePercent, &r.StartDate: d.StartDate, &r.EndDate: d.EndDate} {
		if from != nil {
			*to = backoffice.Text(*from)
		}
	}
	return r
}

// logged are the fields of a relation that the change log names.
func logged(r *backoffice.CustomerRelation) []string {
	fields := []string{"customerId", "relatedCustomerId", "kind"}
	for name, value := range map[string]backoffice.Text{"sharePercent": r.SharePercent, "startDate": r.StartDate, "endDate": r.EndDate} {
		if value != "" {
			fields = append(fields, name)
		}
	}
	return fields
}

// backwards reports whether a period ends before it begins.
func backwards(r *backoffice.CustomerRelation) bool {
	return r.EndDate != "" && r.EndDate < r.StartDate
}

// holders are the other relations of the same two customers and kind on a day of r.
func (m *model) holders(r *backoffice.CustomerRelation) (ids []string) {
	for id, o := range m.relations {
		apart := o.EndDate != "" && o.EndDate < r.StartDate || r.EndDate != "" && r.EndDate < o.StartDate
		if id != r.ID && o.CustomerID == r.CustomerID && o.RelatedCustomerID == r.RelatedCustomerID && o.Kind == r.Kind && !apart {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *model) updateRelation(r *rapid.T) {
	id := anyOf(r, m, m.relations, "relation")
	in := backoffice.RelationFields{SharePercent: optional(r, "share", "50", "25.5"), StartDate: optional(r, "start", days...), EndDate: optional(r, "end", days...)}
	var after backoffice.CustomerRelation
	var changed []string
	if before := m.relations[id]; before != nil {
		after = *before
		for name, field := range map[string]struct {
			to   *backoffice.Text
			sent backoffice.Optional[string]
		}{"sharePercent": {&after.SharePercent, in.SharePercent}, "startDate": {&after.StartDate, in.StartDate}, "endDate": {&after.EndDate, in.EndDate}} {
			if value, _ := field.sent.Get(); field.sent.IsSent() && value != string(*field.to) {
				*field.to, changed = backoffice.Text(value), append(changed, name)
			}
		}
	}
	got, err := m.w.UpdateRelation(m.t.Context(), m.w.by, id, in, nil)
	switch {
	case m.relations[id] == nil:
		check(r, err, "NOT_FOUND id")
	case backwards(&after):
		check(r, err, "INVALID endDate")
	case len(changed) > 0 && len(m.holders(&after)) > 0:
		day := "startDate"
		if slices.Contains(changed, "endDate") {
			day = "endDate"
		}
		check(r, err, "TAKEN "+day)
	default:
		if check(r, err, "done"); len(changed) == 0 {
			return
		}
		after.Version = got.Version
		m.relations[id] = &after
		m.note("updateCustomerRelation", "relation", changed...)
	}
}

func (m *model) createThisRelation(r *rapid.T, draft backoffice.RelationDraft, key backoffice.Optional[string]) {
	want := stored("", &draft)
	content := fmt.Sprint(*want)
	made, err := m.w.CreateRelation(m.t.Context(), m.w.by, draft, key)
	var wrong []string
	for _, end := range [][2]string{{draft.CustomerID, "customerId"}, {draft.RelatedCustomerID, "relatedCustomerId"}} {
		if end[0] == "no id" {
			wrong = append(wrong, "NOT_FOUND "+end[1])
		}
	}
	if draft.CustomerID == draft.RelatedCustomerID {
		wrong = append(wrong, "NOT_ALLOWED relatedCustomerId")
	}
	if backwards(want) {
		wrong = append(wrong, "INVALID endDate")
	}
	if len(wrong) == 0 {
		if want, id, done := m.once("relation", key, content, func(id string) bool { return m.relations[id] != nil }); done {
			if check(r, err, want); id != "" && made.ID != id {
				r.Fatalf("a replay gave %s, not %s", made.ID, id)
			}
			return
		}
	}
	for _, end := range [][2]string{{draft.CustomerID, "customerId"}, {draft.RelatedCustomerID, "relatedCustomerId"}} {
		if m.customers[end[0]] == nil && end[0] != "no id" {
			wrong = append(wrong, "NOT_FOUND "+end[1])
		}
	}
	if len(wrong) == 0 && len(m.holders(want)) > 0 {
		wrong = append(wrong, "TAKEN relatedCustomerId")
	}
	if len(wrong) > 0 {
		check(r, err, strings.Join(wrong, ", "))
		return
	}
	check(r, err, "done")
	m.relations[made.ID] = stored(made.ID, &draft)
	m.remember("relation", key, content, made.ID)
	m.note("createCustomerRelation", "relation", logged(want)...)
}

func (m *model) deleteRelation(r *rapid.T) {
	id := anyOf(r, m, m.relations, "relation")
	err := m.w.DeleteRelation(m.t.Context(), m.w.by, id, nil)
	if m.relations[id] == nil {
		check(r, err, "NOT_FOUND id")
		return
	}
	check(r, err, "done")
	delete(m.relations, id)
	m.gone = append(m.gone, id)
	m.note("deleteCustomerRelation", "relation")
}

func (m *model) assign(r *rapid.T) {
	draft := backoffice.Assignment{ChecklistID: rapid.SampledFrom([]string{m.name + "-list", "list2025", "none"}).Draw(r, "list"), CustomerID: anyOf(r, m, m.customers, "customer")}
	if rapid.Bool().Draw(r, "with variables") {
		draft.CustomVariables = []byte(rapid.SampledFrom([]string{`{"b":2,"a":1}`, ` { } `, `[]`}).Draw(r, "variables"))
	}
	key := m.key(r)
	m.repeatable(r, key, func(r *rapid.T) { m.assignThis(r, draft, key) })
}

func (m *model) assignThis(r *rapid.T, draft backoffice.Assignment, key backoffice.Optional[string]) {
	content := fmt.Sprintf("%s %s %t", draft.ChecklistID, draft.CustomerID, len(draft.CustomVariables) > 5)
	made, err := m.w.AssignChecklist(m.t.Context(), m.w.by, draft, key)
	var wrong []string
	if draft.CustomerID == "no id" {
		wrong = append(wrong, "NOT_FOUND customerId")
	}
	if string(draft.CustomVariables) == "[]" {
		wrong = append(wrong, "INVALID customVariables")
	}
	if len(wrong) == 0 {
		if want, id, done := m.once("transcript", key, content, func(id string) bool { return m.transcripts[id] != nil }); done {
			if check(r, err, want); id != "" && made.ID != id {
				r.Fatalf("a replay gave %s, not %s", made.ID, id)
			}
			return
		}
	}
	if draft.ChecklistID == "none" {
		wrong = append(wrong, "NOT_FOUND checklistId")
	} else if m.archived || draft.ChecklistID == "list2025" {
		wrong = append(wrong, "FINANCIAL_YEAR_ARCHIVED checklistId")
	}
	if m.customers[draft.CustomerID] == nil && draft.CustomerID != "no id" {
		wrong = append(wrong, "NOT_FOUND customerId")
	}
	if len(wrong) > 0 {
		check(r, err, strings.Join(wrong, ", "))
		return
	}
	check(r, err, "done")
	transcript := &backoffice.Transcript{ID: made.ID, OwnStatus: backoffice.ToProcess, Status: backoffice.ToProcess, CustomerID: draft.CustomerID, ChecklistID: draft.ChecklistID}
	fields := []string{"checklistId", "customerId"}
	if len(draft.CustomVariables) > 5 {
		transcript.CustomVariables = `{"b":2,"a":1}`
		fields = append(fields, "customVariables")
	}
	m.transcripts[made.ID] = transcript
	m.remember("transcript", key, content, made.ID)
	m.note("assignChecklist", "transcript", fields...)
}

func (m *model) createLabel(r *rapid.T) {
	draft := backoffice.LabelDraft{Name: m.name + rapid.SampledFrom([]string{"-l1", "-l2"}).Draw(r, "name")}
	if color, ok := optional(r, "color", "#AABBCC", "red").Get(); ok {
		draft.Color = &color
	}
	key := m.key(r)
	m.repeatable(r, key, func(r *rapid.T) { m.createThisLabel(r, draft, key) })
}

func (m *model) createThisLabel(r *rapid.T, draft backoffice.LabelDraft, key backoffice.Optional[string]) {
	color := ""
	if draft.Color != nil {
		color = *draft.Color
	}
	content := draft.Name + " " + color
	made, err := m.w.CreateLabel(m.t.Context(), m.w.by, draft, key)
	if color == "red" {
		check(r, err, "INVALID color")
		return
	}
	if want, id, done := m.once("label", key, content, func(string) bool { return true }); done {
		if check(r, err, want); id != "" && made.ID != id {
			r.Fatalf("a replay gave %s, not %s", made.ID, id)
		}
		return
	}
	if m.labels[draft.Name] != "" {
		check(r, err, "TAKEN name")
		return
	}
	check(r, err, "done")
	m.labels[draft.Name] = made.ID
	m.remember("label", key, content, made.ID)
	if fields := []string{"name"}; color != "" {
		m.note("createLabel", "label", append(fields, "color")...)
	} else {
		m.note("createLabel", "label", fields...)
	}
}

func (m *model) updateUser(r *rapid.T) {
	id := anyOf(r, m, m.users, "user")
	f := backoffice.UserFields{LastName: optional(r, "lastName", "Maes"), Language: optional(r, "language", "dutch", "klingon")}
	var labels []string
	if sent := rapid.Bool().Draw(r, "labelled"); sent {
		labels = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"audit", "tax", "none"}), 0, 3, rapid.ID).Draw(r, "labels")
		f.LabelIDs = backoffice.Value(labels)
	}
	before := m.users[id]
	if before == nil {
		_, err := m.w.UpdateUser(m.t.Context(), m.w.by, id, f, nil)
		check(r, err, "NOT_FOUND id")
		return
	}
	version, fresh := expected(r, before.Version)
	_, err := m.w.UpdateUser(m.t.Context(), m.w.by, id, f, version)
	if !fresh {
		check(r, err, "STALE_VERSION expectedVersion")
		return
	}
	after := *before
	put(&after.LastName, f.LastName)
	put(&after.Language, f.Language)
	var wrong, fields []string
	if f.LabelIDs.IsSent() {
		after.LabelIDs = labels
		if at := slices.Index(labels, "none"); at >= 0 {
			wrong = append(wrong, "NOT_FOUND labelIds."+strconv.Itoa(at))
		}
		if !slices.Equal(before.LabelIDs, labels) {
			fields = append(fields, "labelIds")
		}
	}
	if after.LastName == "" {
		wrong = append(wrong, "REQUIRED lastName")
	}
	if after.Language == "klingon" {
		wrong = append(wrong, "INVALID language")
	}
	if len(wrong) > 0 {
		check(r, err, strings.Join(wrong, ", "))
		return
	}
	if after.LastName != before.LastName {
		fields = append(fields, "lastName")
	}
	if after.Language != before.Language {
		fields = append(fields, "language")
	}
	if check(r, err, "done"); len(fields) == 0 {
		return
	}
	after.Version++
	m.users[id] = &after
	m.note("updateUser", "user", fields...)
}

func (m *model) deleteUser(r *rapid.T) {
	id := anyOf(r, m, m.users, "user")
	err := m.w.DeleteUser(m.t.Context(), m.w.by, id, nil)
	if m.users[id] == nil {
		check(r, err, "NOT_FOUND id")
		return
	}
	check(r, err, "done")
	delete(m.users, id)
	m.gone = append(m.gone, id)
	m.note("deleteUser", "user")
	for _, c := range m.customers {
		if c.ResponsibleID == id {
			c.ResponsibleID = ""
			c.Version++
			m.note("deleteUser", "customer", "responsibleId")
		}
	}
}

// startYear is rare, since it ends all assigning.
func (m *model) startYear(r *rapid.T) {
	if rapid.IntRange(0, 9).Draw(r, "rarely") != 9 {
		r.Skip("not now")
	}
	current := m.currentYear()
	year, err := strconv.Atoi(current.StartDate)
	accept(m.t, err)
	if year++; year > 2999 { // many histories
		r.Skip("no years left")
	}
	_, err = m.w.StartYear(m.t.Context(), backoffice.YearStart{Year: strconv.Itoa(year), Skip: true})
	check(r, err, "done")
	m.archived = true
	m.log = append(m.log, "years start financial year archivedAt isCurrentYear", "years start financial year endDate isCurrentYear startDate")
}

// compare reads everything back.
func (m *model) compare(r *rapid.T) {
	ctx, store := m.t.Context(), m.w.Store
	customers, err := backoffice.ReadByID(ctx, store.Customers(), append(slices.Collect(maps.Keys(m.customers)), m.gone...), 0)
	accept(m.t, err)
	wanted := map[string]*backoffice.Customer{}
	for id, c := range m.customers {
		want := *c
		want.DisplayName = backoffice.DisplayNameOf(&want)
		wanted[id] = &want
		stored := customers[id]
		if stored == nil {
			continue
		}
		if number := m.numbers[id]; stored.Registration.IsZero() != (number == "") {
			r.Fatalf("a number is there, or not, wrongly")
		} else if number != "" {
			sealed, err := m.w.Keys.Seal(id, backoffice.RegistrationNumber, number)
			if accept(m.t, err); !sealed.SameNumber(stored.Registration) {
				r.Fatalf("another number is stored")
			}
		}
	}
	same(r, wanted, customers, cmpopts.IgnoreFields(backoffice.Customer{}, "Registration", "CreatedAt", "UpdatedAt", "OpenUpdatedAt"))
	relations, err := backoffice.ReadByID(ctx, store.Relations(), append(slices.Collect(maps.Keys(m.relations)), m.gone...), 0)
	accept(m.t, err)
	same(r, m.relations, relations, cmpopts.IgnoreFields(backoffice.CustomerRelation{}, "CreatedAt"))
	transcripts, err := backoffice.ReadByID(ctx, store.Transcripts(), append(slices.Collect(maps.Keys(m.transcripts)), m.gone...), 0)
	accept(m.t, err)
	same(r, m.transcripts, transcripts, cmpopts.IgnoreFields(backoffice.Transcript{}, "OwnUpdatedAt", "UpdatedAt", "CreatedAt", "DocumentGeneratedAt", "FinancialYearID"),
		cmp.Comparer(func(a, b backoffice.JSON) bool { return a.String() == b.String() }))
	users, err := backoffice.ReadByID(ctx, store.Users(), append(slices.Collect(maps.Keys(m.users)), m.gone...), 0)
	accept(m.t, err)
	same(r, m.users, users)
}

func same[T any](r *rapid.T, want, got map[string]T, options ...cmp.Option) {
	if diff := cmp.Diff(want, got, append(options, cmpopts.EquateEmpty())...); diff != "" {
		r.Fatalf("the store differs (-model +store):\n%s", diff)
	}
}

// compareLog reads what the history has left in the change log.
func (m *model) compareLog(r *rapid.T) {
	if diff := cmp.Diff(m.log, m.w.changes(m.t, m.start), cmpopts.EquateEmpty()); diff != "" {
		r.Fatalf("the change log differs (-model +store):\n%s", diff)
	}
}
