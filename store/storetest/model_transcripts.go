package storetest

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func (o *office) transcriptModel() *model[backoffice.Transcript, *backoffice.Transcript, backoffice.TranscriptCriteria] {
	type C = backoffice.TranscriptCriteria
	return &model[backoffice.Transcript, *backoffice.Transcript, C]{
		rows: o.transcripts,
		lists: map[backoffice.Parent]lists[*backoffice.Transcript, C]{
			backoffice.Root:            everything[*backoffice.Transcript, C](),
			backoffice.OfFinancialYear: {o.yearIDs(), func(r *backoffice.Transcript, year string, _ C) bool { return r.FinancialYearID == year }},
			backoffice.OfChecklist:     {o.checklistIDs(), func(r *backoffice.Transcript, list string, _ C) bool { return r.ChecklistID == list }},
			backoffice.OfCustomer:      {o.customerIDs(), func(r *backoffice.Transcript, customer string, _ C) bool { return r.CustomerID == customer }},
			backoffice.OfUser: {o.userIDs(), func(r *backoffice.Transcript, user string, _ C) bool {
				return o.customer(r.CustomerID).ResponsibleID == user
			}},
		},
		matches: o.meetsTranscript,
		draw:    func(t *rapid.T) C { return o.drawTranscripts(t, backoffice.MaxNesting) },
		orders:  []backoffice.OrderKey{backoffice.KeyUpdatedAt, backoffice.KeyProgress, backoffice.KeyCustomerName},
		placed: map[backoffice.OrderKey]func(*backoffice.Transcript, C) (string, float64){
			backoffice.KeyCustomerName: func(r *backoffice.Transcript, _ C) (string, float64) {
				return backoffice.Fold(o.customer(r.CustomerID).DisplayName), 0
			},
		},
	}
}

// customer is the one with an identifier.
func (o *office) customer(id string) *backoffice.Customer {
	return o.customers[slices.IndexFunc(o.customers, func(c *backoffice.Customer) bool { return c.ID == id })]
}

func (o *office) meetsTranscript(r *backoffice.Transcript, c backoffice.TranscriptCriteria) bool {
	return !c.Nothing && is(c.ChecklistID, r.ChecklistID) && is(c.FinancialYearID, r.FinancialYearID) && is(c.CustomerID, r.CustomerID) &&
		is(c.ResponsibleID, o.customer(r.CustomerID).ResponsibleID) && hasStatus(c.Status, r.Status) && tristate(c.IsCompleted, r.IsCompleted) &&
		tristate(c.DocumentGenerated, r.DocumentGenerated) && writtenSince(c.UpdatedSince) && c.Updated.Holds(r.UpdatedAt) && answers(r, c.Variable) &&
		(c.Overdue == "" || o.overdue(r, c.Overdue)) && (c.NotOverdue == "" || !o.overdue(r, c.NotOverdue)) && inRange(r, c.VariableRange) && o.labelled(o.customer(r.CustomerID).ResponsibleID, c.LabelID) &&
		during(c.Created, r.CreatedAt) && during(c.Completed, r.CompletedAt) && during(c.Sent, r.SentAt) && during(c.Generated, r.DocumentGeneratedAt) &&
		within(r, c.Any, c.Not, o.meetsTranscript)
}

// overdue reports whether a transcript is overdue on a day.
func (o *office) overdue(r *backoffice.Transcript, day string) bool {
	return !r.IsCompleted && slices.ContainsFunc(o.checklists, func(k *backoffice.Checklist) bool {
		return k.ID == r.ChecklistID && k.DueDate != "" && string(k.DueDate) < day
	})
}

// during reports whether a time that may be unknown is in a span.
func during(span backoffice.Span, at backoffice.Instant) bool {
	return span == backoffice.Span{} || at != 0 && span.Holds(at)
}

// labelled reports whether a user has a label.
func (o *office) labelled(user, label string) bool {
	return label == "" || slices.ContainsFunc(o.users, func(u *backoffice.User) bool { return u.ID == user && slices.Contains(u.LabelIDs, label) })
}

// inRange reports whether a transcript has an answer that is a number within bounds.
func inRange(r *backoffice.Transcript, c backoffice.VariableRange) bool {
	var all map[string]any
	if !c.Set {
		return true
	}
	if strings.Contains(string(r.CustomVariables), `\u0000`) || json.Unmarshal([]byte(r.CustomVariables.String()), &all) != nil {
		return false
	}
	number, is := all[c.Key].(float64)
	return is && number >= c.Least && number <= c.Most
}

// within reports whether a row meets what lies within criteria.
func within[P any, C comparable](row P, anyOf, not backoffice.Nested[C], meets func(P, C) bool) bool {
	one := func(c C) bool { return meets(row, c) }
	return (!anyOf.IsSet() || slices.ContainsFunc(anyOf.List(), one)) && !slices.ContainsFunc(not.List(), one)
}

// answers reports whether a transcript has an answer.
func answers(r *backoffice.Transcript, c backoffice.VariableCriteria) bool {
	if !c.Set {
		return true
	}
	var all map[string]any
	if strings.Contains(string(r.CustomVariables), `\u0000`) || json.Unmarshal([]byte(r.CustomVariables.String()), &all) != nil {
		return false
	}
	switch value := all[c.Key].(type) {
	case string:
		return value == c.Text
	case bool:
		return strconv.FormatBool(value) == c.Text
	case float64:
		return c.IsNumber && value == c.Number
	}
	return false
}

// drawTranscripts draws criteria, with others in them so many levels deep.
func (o *office) drawTranscripts(t *rapid.T, levels int) (c backoffice.TranscriptCriteria) {
	c = backoffice.TranscriptCriteria{
		ChecklistID: pick(t, "checklist", o.checklistIDs()...), FinancialYearID: pick(t, "year", o.yearIDs()...),
		CustomerID: pick(t, "customer", o.customerIDs()...), ResponsibleID: pick(t, "responsible", o.userIDs()...),
		Status:      backoffice.StatusSet(pick(t, "status", 1, 2, 5, 0b101010101, 1<<9-1)),
		IsCompleted: pick(t, "completed", backoffice.Yes, backoffice.No), DocumentGenerated: pick(t, "generated", backoffice.Yes, backoffice.No),
		Overdue: pick(t, "overdue", "2026-06-30", "2026-07-01", "2027-01-01"), NotOverdue: pick(t, "not overdue", "2026-06-30", "2026-07-01"),
		UpdatedSince: pick(t, "since", crowdInstants[0], afterAll), Nothing: pick(t, "nothing", true, false, false, false),
		Updated: drawSpan(t, "updated"), Variable: drawVariable(t), VariableRange: drawRange(t), LabelID: pick(t, "label", o.labelIDs()...),
		Created: drawSpan(t, "created"), Completed: drawSpan(t, "completed"), Sent: drawSpan(t, "sent"), Generated: drawSpan(t, "generated"),
	}
	sparse(t, &c)
	if levels > 0 {
		c.Any, c.Not = drawWithin(t, func() backoffice.TranscriptCriteria { return o.drawTranscripts(t, levels-1) })
	}
	return c
}

// drawWithin draws what lies within criteria.
func drawWithin[C comparable](t *rapid.T, draw func() C) (anyOf, not backoffice.Nested[C]) {
	if rapid.IntRange(0, 3).Draw(t, "any is set") == 0 {
		var all []C
		for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
			all = append(all, draw())
		}
		all = append(all, twins(t, all[0], draw)...)
		anyOf = backoffice.NestedOf(all...)
	}
	if rapid.IntRange(0, 3).Draw(t, "not is set") == 0 {
		not = backoffice.NestedOf(draw())
	}
	return anyOf, not
}

// twins differ from an alternative in one text, as those do that the store merges.
func twins[C comparable](t *rapid.T, of C, draw func() C) (all []C) {
	field := rapid.IntRange(0, reflect.TypeFor[C]().NumField()-1).Draw(t, "twins differ in")
	for range rapid.IntRange(0, 4).Draw(t, "twins") {
		twin, other := of, draw()
		if to := reflect.ValueOf(&twin).Elem().Field(field); to.Kind() == reflect.String {
			to.Set(reflect.ValueOf(other).Field(field))
		}
		all = append(all, twin)
	}
	return all
}

func drawSpan(t *rapid.T, name string) (s backoffice.Span) {
	if rapid.IntRange(0, 5).Draw(t, name+" from is set") == 0 {
		s.From, s.HasFrom = rapid.SampledFrom(append(crowdInstants, 0)).Draw(t, name+" from"), true
	}
	if rapid.IntRange(0, 5).Draw(t, name+" to is set") == 0 {
		s.To, s.HasTo = rapid.SampledFrom(append(crowdInstants, 0)).Draw(t, name+" to"), true
	}
	return s
}

func drawRange(t *rapid.T) backoffice.VariableRange {
	bound := func(name string, open float64) float64 { return pick(t, name, -1, 0.5, 2, 10, 1e19, 1.3e19, open) }
	return backoffice.VariableRange{
		Set: true, Key: pick(t, "range of", "children", "children", "1", "big", "car", "a.b", "none", "\x00"),
		Least: bound("least", math.Inf(-1)), Most: bound("most", math.Inf(1)),
	}
}

func drawVariable(t *rapid.T) backoffice.VariableCriteria {
	filter := backoffice.TranscriptFilter{CustomVariable: &backoffice.CustomVariableFilter{
		Key:    rapid.SampledFrom([]string{"car", "car", "children", "children", "x", "nul", "a.b", `"q"`, "", "1", "big", "none", "\x00", "$.car", "$[0]"}).Draw(t, "key"),
		Equals: new(pick(t, "equals", "yes", "yes", "no", "2", "2.0", "true", "1", "10", `é"x`, "", "null", "12345678901234567890", "9007199254740993", "\x00")),
	}}
	all, err := filter.Criteria()
	if err != nil {
		t.Fatal(err)
	}
	return all.Variable
}

// pick draws one of the values.
func pick[V any](t *rapid.T, name string, values ...V) V {
	return rapid.SampledFrom(values).Draw(t, name)
}

// sparse leaves a few of the criteria: of many nothing would be found.
func sparse[C any](t *rapid.T, c *C) {
	of := reflect.ValueOf(c).Elem()
	kept := rapid.SliceOfN(rapid.IntRange(0, of.NumField()-1), 0, 3).Draw(t, "criteria")
	for i := range of.NumField() {
		if !slices.Contains(kept, i) {
			of.Field(i).SetZero()
		}
	}
}
