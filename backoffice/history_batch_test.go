package backoffice_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// Batches in the histories: what single calls in their order would do, all or none of it or what is right, but that
// customer codes are those from before the batch, and that a customer is changed or deleted by one input.

// service is now and then the one of dry runs, of which the model learns nothing.
func (m *model) service(r *rapid.T) (of *backoffice.Service, dry bool) {
	if dry = rapid.IntRange(0, 3).Draw(r, "dry run") == 0; dry {
		return m.w.DryRun(), true
	}
	return m.w.Service, false
}

func mode(r *rapid.T) backoffice.BatchMode {
	return rapid.SampledFrom(backoffice.BatchModes).Draw(r, "mode")
}

// came writes what came of a batch: a line for each input, and how many were written.
func came[T any](of *backoffice.BatchOutcome[T], err error) string {
	if err != nil {
		return outcome(err)
	}
	var lines []string
	for i := range of.Results {
		result := &of.Results[i]
		switch {
		case result.UserErrors != nil && result.Object != nil:
			lines = append(lines, "an object and errors")
		case result.UserErrors != nil:
			lines = append(lines, outcome(backoffice.Refuse(result.UserErrors...)))
		case result.Object == nil:
			lines = append(lines, "nothing")
		default:
			lines = append(lines, "done")
		}
	}
	return strings.Join(append(lines, strconv.Itoa(of.Written)), "\n")
}

// wanted is the same of what the model says is wrong with each input. written is how many change something.
func wanted(mode backoffice.BatchMode, wrong [][]string, written int) (want string, done bool) {
	refused := 0
	for _, list := range wrong {
		if len(list) > 0 {
			refused++
		}
	}
	done = refused == 0 || mode == backoffice.Each && refused < len(wrong)
	var lines []string
	for i, list := range wrong {
		var told []string
		for _, one := range list {
			code, place, _ := strings.Cut(one, " ")
			told = append(told, strings.TrimSuffix(code+" inputs."+strconv.Itoa(i)+"."+place, "."))
		}
		switch {
		case len(list) > 0:
			lines = append(lines, strings.Join(told, ", "))
		case done:
			lines = append(lines, "done")
		default:
			lines = append(lines, "nothing")
		}
	}
	if !done {
		written = 0
	}
	return strings.Join(append(lines, strconv.Itoa(written)), "\n"), done
}

func (m *model) createCustomers(r *rapid.T) {
	fields := make([]backoffice.CustomerFields, rapid.IntRange(0, 4).Draw(r, "inputs"))
	for i := range fields {
		fields[i] = m.drawCustomer(r)
	}
	key, mode := m.key(r), mode(r)
	m.repeatable(r, key, func(r *rapid.T) { m.createTheseCustomers(r, fields, key, mode) })
}

func (m *model) createTheseCustomers(r *rapid.T, fields []backoffice.CustomerFields, key backoffice.Optional[string], mode backoffice.BatchMode) {
	service, dry := m.service(r)
	inputs := make([]backoffice.BatchInput[backoffice.CustomerFields], len(fields))
	for i, f := range fields {
		inputs[i].Input = f
	}
	got, err := service.CreateCustomers(m.t.Context(), m.w.by, inputs, mode, key)
	content := "batch " + string(mode)
	for _, f := range fields {
		c, number, _ := m.changedBy(backoffice.Customer{Version: 1}, "", f)
		content += fmt.Sprintf("\n%+v %s", c, number)
	}
	k, keyed := key.Get()
	if earlier, used := m.keys["customer"+k]; keyed && used {
		m.replayed(r, got, err, earlier, content)
		return
	}
	wrong := make([][]string, len(fields))
	made, numbers := make([]backoffice.Customer, len(fields)), make([]string, len(fields))
	claimed := map[backoffice.Text]bool{}
	written := 0
	for i, f := range fields {
		made[i], numbers[i], wrong[i] = m.changedBy(backoffice.Customer{Version: 1}, "", f)
		code := made[i].CustomerCode
		if claimed[code] && !slices.Contains(wrong[i], "TAKEN customerCode") {
			wrong[i] = append(wrong[i], "TAKEN customerCode")
		}
		if code != "" && (mode == backoffice.Atomic || len(wrong[i]) == 0) {
			claimed[code] = true
		}
		if len(wrong[i]) == 0 {
			written++
		}
	}
	want, done := wanted(mode, wrong, written)
	if got := came(got, err); got != want {
		r.Fatalf("came out as\n%s\nnot\n%s", got, want)
	}
	if !done || dry {
		return
	}
	ids := make([]string, len(fields))
	for i := range fields {
		if len(wrong[i]) > 0 {
			continue
		}
		c := made[i]
		c.ID = got.Results[i].Object.ID
		ids[i] = c.ID
		m.customers[c.ID], m.numbers[c.ID] = &c, numbers[i]
		m.note("createCustomers", "customer", told(backoffice.Customer{}, c, "", numbers[i])...)
	}
	m.remember("customer", key, content, want+" "+strings.Join(ids, ","))
}

// replayed holds a call with a key that was used before to what came of it then.
func (m *model) replayed(r *rapid.T, got *backoffice.BatchOutcome[backoffice.Customer], err error, earlier keyed, content string) {
	if earlier.content != content {
		check(r, err, "IDEMPOTENCY_KEY_REUSED idempotencyKey")
		return
	}
	cut := strings.LastIndex(earlier.id, " ")
	lines := strings.Split(earlier.id[:cut], "\n")
	for i, id := range strings.Split(earlier.id[cut+1:], ",") {
		if id == "" {
			continue
		}
		if m.customers[id] == nil {
			lines[i] = "NOT_FOUND idempotencyKey"
		} else if err == nil && (got.Results[i].Object == nil || got.Results[i].Object.ID != id) {
			r.Fatalf("a replay gave another customer than %s", id)
		}
	}
	if got, want := came(got, err), strings.Join(lines, "\n"); got != want {
		r.Fatalf("a replay came out as\n%s\nnot\n%s", got, want)
	}
}

func (m *model) updateCustomers(r *rapid.T) {
	inputs := make([]backoffice.CustomerUpdate, rapid.IntRange(0, 4).Draw(r, "inputs"))
	wrong := make([][]string, len(inputs))
	after, numbers := map[string]*backoffice.Customer{}, map[string]string{}
	claimed := map[backoffice.Text]string{}
	seen := map[string]bool{}
	mode := mode(r)
	var log [][]string
	for i := range inputs {
		id, f := anyOf(r, m, m.customers, "customer"), m.drawCustomer(r)
		inputs[i] = backoffice.CustomerUpdate{ID: id, Fields: f}
		before := m.customers[id]
		if before == nil {
			wrong[i] = []string{"NOT_FOUND id"}
			continue
		}
		version, fresh := expected(r, before.Version)
		inputs[i].Expected = version
		again := seen[id]
		seen[id] = true
		switch {
		case again && version != nil, !fresh:
			wrong[i] = []string{"STALE_VERSION expectedVersion"}
			continue
		case again:
			wrong[i] = []string{"NOT_ALLOWED id"}
			continue
		}
		c, number, faults := m.changedBy(*before, m.numbers[id], f)
		if holder, taken := claimed[c.CustomerCode]; taken && holder != id && c.CustomerCode != before.CustomerCode && !slices.Contains(faults, "TAKEN customerCode") {
			faults = append(faults, "TAKEN customerCode")
		}
		if c.CustomerCode != "" && claimed[c.CustomerCode] == "" && (mode == backoffice.Atomic || len(faults) == 0) {
			claimed[c.CustomerCode] = id
		}
		if wrong[i] = faults; len(faults) > 0 {
			continue
		}
		fields := told(*before, c, m.numbers[id], number)
		if len(fields) == 0 {
			continue
		}
		c.Version++
		if slices.Equal(fields, []string{"registrationNumber"}) {
			c.HiddenChanges++
		}
		after[id], numbers[id] = &c, number
		log = append(log, fields)
	}
	want, done := wanted(mode, wrong, len(log))
	service, dry := m.service(r)
	got, err := service.UpdateCustomers(m.w.request(m.t), m.w.by, inputs, mode)
	if got := came(got, err); got != want {
		r.Fatalf("came out as\n%s\nnot\n%s", got, want)
	}
	if !done || dry {
		return
	}
	maps.Copy(m.customers, after)
	maps.Copy(m.numbers, numbers)
	for _, fields := range log {
		m.note("updateCustomers", "customer", fields...)
	}
}

func (m *model) deleteCustomers(r *rapid.T) {
	inputs := make([]backoffice.CustomerToDelete, rapid.IntRange(0, 3).Draw(r, "inputs"))
	wrong := make([][]string, len(inputs))
	var going []string
	for i := range inputs {
		id := anyOf(r, m, m.customers, "customer")
		inputs[i].ID = id
		if m.customers[id] == nil || slices.Contains(going, id) {
			wrong[i] = []string{"NOT_FOUND id"}
			continue
		}
		version, fresh := expected(r, m.customers[id].Version)
		if inputs[i].Expected = version; !fresh {
			wrong[i] = []string{"STALE_VERSION expectedVersion"}
			continue
		}
		going = append(going, id)
	}
	mode := mode(r)
	want, done := wanted(mode, wrong, len(going))
	service, dry := m.service(r)
	got, gone, err := service.DeleteCustomers(m.t.Context(), m.w.by, inputs, mode)
	if got := came(got, err); got != want {
		r.Fatalf("came out as\n%s\nnot\n%s", got, want)
	}
	if !done || dry {
		return
	}
	var counted backoffice.CustomerDeletion
	for _, id := range going {
		of := m.forget(id)
		counted.Relations += of.Relations
		counted.Transcripts += of.Transcripts
		m.note("deleteCustomers", "customer")
	}
	if gone != counted {
		r.Fatalf("with them went %+v, not %+v", gone, counted)
	}
}

func (m *model) createRelations(r *rapid.T) {
	inputs := make([]backoffice.BatchInput[backoffice.RelationDraft], rapid.IntRange(0, 4).Draw(r, "inputs"))
	wrong := make([][]string, len(inputs))
	expected := map[string]bool{} // identifiers that were there
	var fresh []*backoffice.CustomerRelation
	written := 0
	for i := range inputs {
		draft := m.relationDraft(r)
		inputs[i].Input = draft
		wanted := stored("", &draft)
		ends := [][2]string{{draft.CustomerID, "customerId"}, {draft.RelatedCustomerID, "relatedCustomerId"}}
		for _, end := range ends {
			if end[0] == "no id" {
				wrong[i] = append(wrong[i], "NOT_FOUND "+end[1])
			}
		}
		if draft.CustomerID == draft.RelatedCustomerID {
			wrong[i] = append(wrong[i], "NOT_ALLOWED relatedCustomerId")
		}
		if backwards(wanted) {
			wrong[i] = append(wrong[i], "INVALID endDate")
		}
		for _, end := range ends {
			if end[0] != "no id" && m.customers[end[0]] == nil {
				wrong[i] = append(wrong[i], "NOT_FOUND "+end[1])
			}
		}
		stored := m.holders(wanted)
		for _, id := range stored {
			expected[id] = true
		}
		value := backoffice.RelationTable.UniqueValue(wanted)
		conflicts := func(r *backoffice.CustomerRelation) bool {
			return value.Conflicts(backoffice.RelationTable.UniqueValue(r))
		}
		var there []*backoffice.CustomerRelation
		for _, id := range stored {
			there = append(there, m.relations[id])
		}
		for _, r := range fresh {
			if conflicts(r) {
				there = append(there, r)
			}
		}
		fits := func(r *backoffice.CustomerRelation) bool {
			same := func(sent, there backoffice.Text) bool { return sent == "" || sent == there }
			return same(wanted.SharePercent, r.SharePercent) && same(wanted.StartDate, r.StartDate) && same(wanted.EndDate, r.EndDate)
		}
		switch {
		case len(there) > 0 && !slices.ContainsFunc(there, fits):
			wrong[i] = append(wrong[i], "TAKEN")
		case len(there) == 0 && len(wrong[i]) == 0:
			fresh = append(fresh, wanted)
			written++
		}
	}
	mode := mode(r)
	service, dry := m.service(r)
	got, err := service.CreateRelations(m.t.Context(), m.w.by, inputs, mode, backoffice.Optional[string]{})
	want, done := wanted(mode, wrong, written)
	if got := came(got, err); got != want {
		r.Fatalf("came out as\n%s\nnot\n%s", got, want)
	}
	if !done {
		return
	}
	made := map[string]bool{}
	for i := range inputs {
		if len(wrong[i]) > 0 {
			continue
		}
		relation := *got.Results[i].Object
		draft := inputs[i].Input
		if relation.CustomerID != draft.CustomerID || relation.RelatedCustomerID != draft.RelatedCustomerID || relation.Kind != draft.Kind {
			r.Fatalf("input %d answers another relation", i)
		}
		if expected[relation.ID] || made[relation.ID] {
			continue
		}
		if made[relation.ID] = true; dry {
			continue
		}
		m.relations[relation.ID] = stored(relation.ID, &draft)
		m.note("createCustomerRelations", "relation", logged(m.relations[relation.ID])...)
	}
	if len(made) != written {
		r.Fatalf("%d relations were made, not %d", len(made), written)
	}
}

// assignAll assigns the history's checklist to customers by identifier, or to those of its own responsible user.
func (m *model) assignAll(r *rapid.T) {
	draft := backoffice.Assignments{ChecklistID: rapid.SampledFrom([]string{m.name + "-list", "list2025", "none"}).Draw(r, "list")}
	draft.Found = func(...string) {}
	var wrong []string
	var to []string
	filtered := rapid.Bool().Draw(r, "by a filter")
	if filtered {
		user := rapid.SampledFrom([]string{m.name + "-u1", m.name + "-u2", "nobody"}).Draw(r, "responsible")
		draft.Filter = &backoffice.CustomerFilter{ResponsibleID: &user}
		for id, c := range m.customers {
			if c.ResponsibleID == user {
				to = append(to, id)
			}
		}
	} else {
		draft.CustomerIDs = []string{}
		for range rapid.IntRange(0, 4).Draw(r, "customers") {
			draft.CustomerIDs = append(draft.CustomerIDs, anyOf(r, m, m.customers, "customer"))
		}
	}
	if draft.ChecklistID == "none" {
		wrong = append(wrong, "NOT_FOUND checklistId")
	} else if m.archived || draft.ChecklistID == "list2025" {
		wrong = append(wrong, "FINANCIAL_YEAR_ARCHIVED checklistId")
	}
	for i, id := range draft.CustomerIDs {
		if m.customers[id] == nil {
			wrong = append(wrong, "NOT_FOUND customerIds."+strconv.Itoa(i))
		} else if !slices.Contains(to, id) {
			to = append(to, id)
		}
	}
	service, dry := m.service(r)
	got, err := service.AssignChecklists(m.t.Context(), m.w.by, draft, backoffice.Optional[string]{})
	if len(wrong) > 0 {
		check(r, err, strings.Join(wrong, ", "))
		return
	}
	check(r, err, "done")
	already := 0
	to = slices.DeleteFunc(to, func(id string) bool {
		for _, t := range m.transcripts {
			if t.CustomerID == id && t.ChecklistID == draft.ChecklistID {
				already++
				return true
			}
		}
		return false
	})
	var ids []string
	for _, t := range got.Transcripts {
		ids = append(ids, t.CustomerID)
	}
	slices.Sort(to)
	slices.Sort(ids)
	if got.Already != already || got.Count != len(to) || !slices.Equal(ids, to) {
		r.Fatalf("assigned to %q, %d had it; not %q and %d", ids, got.Already, to, already)
	}
	if dry {
		return
	}
	for _, t := range got.Transcripts {
		m.transcripts[t.ID] = &backoffice.Transcript{ID: t.ID, OwnStatus: backoffice.ToProcess, Status: backoffice.ToProcess, CustomerID: t.CustomerID, ChecklistID: draft.ChecklistID}
		m.note("assignChecklists", "transcript", "checklistId", "customerId")
	}
}
