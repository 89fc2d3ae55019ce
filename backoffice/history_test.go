package backoffice_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// The history tests draw random writes, right and wrong ones, and do each twice: in an office over a real store and
// in plain maps whose rules are written down here once more, in another way. Outcomes, records and the change log
// must agree.

func TestAnyHistoryOfWritesIsThatOfPlainMaps(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			m := newModel(t, w)
			r.Repeat(map[string]func(*rapid.T){
				"":               m.compare,
				"createCustomer": m.createCustomer,
				"updateCustomer": m.updateCustomer,
				"deleteCustomer": m.deleteCustomer,
				"createRelation": m.createRelation,
				"updateRelation": m.updateRelation,
				"deleteRelation": m.deleteRelation,
				"assign":         m.assign,
				"updateUser":     m.updateUser,
				"deleteUser":     m.deleteUser,
				"createLabel":    m.createLabel,
				"startYear":      m.startYear,
				"again":          m.again,

				"createCustomers": m.createCustomers,
				"updateCustomers": m.updateCustomers,
				"deleteCustomers": m.deleteCustomers,
				"createRelations": m.createRelations,
				"assignAll":       m.assignAll,
			})
			m.compareLog(r)
		})
	})
}

// model is what the store should hold of one history. Histories share a store, so each uses names of its own.
type model struct {
	t           *testing.T
	w           *world
	name        string
	customers   map[string]*backoffice.Customer
	numbers     map[string]string // registration numbers by customer
	relations   map[string]*backoffice.CustomerRelation
	transcripts map[string]*backoffice.Transcript
	users       map[string]*backoffice.User
	labels      map[string]string // identifiers by name
	keys        map[string]keyed  // by noun and key
	archived    bool              // the checklist's year
	gone        []string          // identifiers of what was deleted
	calls       []func(*rapid.T)  // creating calls with a key, as they were made
	log         []string
	start       int // where the change log stood
}

type keyed struct{ content, id string }

var (
	histories   int
	historiesMu sync.Mutex
)

func newModel(t *testing.T, w *world) *model {
	historiesMu.Lock()
	histories++
	name := fmt.Sprint("h", histories)
	historiesMu.Unlock()
	m := &model{t: t, w: w, name: name, customers: map[string]*backoffice.Customer{}, numbers: map[string]string{},
		relations: map[string]*backoffice.CustomerRelation{}, transcripts: map[string]*backoffice.Transcript{}, labels: map[string]string{}, keys: map[string]keyed{}}
	m.users = map[string]*backoffice.User{}
	for _, user := range []string{"-u1", "-u2"} {
		m.users[name+user] = &backoffice.User{ID: name + user, FirstName: "A", LastName: "B", Email: "a@b.be", Version: 1}
	}
	year := m.currentYear()
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		for _, u := range m.users {
			copied := *u
			if err := tx.Users().Insert(ctx, &copied); err != nil {
				return err
			}
		}
		return tx.Checklists().Insert(ctx, &backoffice.Checklist{ID: name + "-list", Name: "x", Language: "dutch", FinancialYearID: year.ID})
	})
	m.start = len(w.changes(t, 0))
	return m
}

func (m *model) currentYear() *backoffice.FinancialYear {
	pages, err := backoffice.ReadPages(m.t.Context(), m.w.Store.FinancialYears(), backoffice.ListQuery[backoffice.FinancialYearCriteria]{
		Criteria: backoffice.FinancialYearCriteria{Current: true}, Window: backoffice.Window{Limit: 1}}, []string{backoffice.NoParent}, 0)
	accept(m.t, err)
	return pages[backoffice.NoParent].Items[0]
}

// anyOf draws one of the keys, or now and then one that is not there.
func anyOf[T any](r *rapid.T, m *model, from map[string]T, what string) string {
	ids := slices.Sorted(maps.Keys(from))
	return rapid.SampledFrom(append(append(ids, m.gone...), "nobody", "no id")).Draw(r, what)
}

func optional(r *rapid.T, what string, values ...string) backoffice.Optional[string] {
	switch pick := rapid.IntRange(-3, len(values)).Draw(r, what); {
	case pick < 0: // most fields are not sent, so that most calls are right and some change nothing
		return backoffice.Optional[string]{}
	case pick == 0:
		return backoffice.Null[string]()
	default:
		return backoffice.Value(values[pick-1])
	}
}

// key draws an idempotency key, seldom twice the same.
func (m *model) key(r *rapid.T) backoffice.Optional[string] {
	if rapid.Bool().Draw(r, "keyed") {
		return backoffice.Optional[string]{}
	}
	return backoffice.Value(m.name + rapid.SampledFrom([]string{"-k1", "-k2", "-k3"}).Draw(r, "key"))
}

// once applies the rules of idempotency: done says that the call was a replay, and want what it answers.
func (m *model) once(noun string, key backoffice.Optional[string], content string, exists func(id string) bool) (want, id string, done bool) {
	k, ok := key.Get()
	earlier, used := m.keys[noun+k]
	switch {
	case !ok || !used:
		return "", "", false
	case earlier.content != content:
		return "IDEMPOTENCY_KEY_REUSED idempotencyKey", "", true
	case !exists(earlier.id):
		return "NOT_FOUND idempotencyKey", "", true
	}
	return "done", earlier.id, true
}

// repeatable keeps a call that has a key, so that it can be sent again later, and makes it.
func (m *model) repeatable(r *rapid.T, key backoffice.Optional[string], call func(*rapid.T)) {
	if key.IsSent() {
		m.calls = append(m.calls, call)
	}
	call(r)
}

// again sends a call once more.
func (m *model) again(r *rapid.T) {
	if len(m.calls) == 0 {
		r.Skip("nothing was sent yet")
	}
	m.calls[rapid.IntRange(0, len(m.calls)-1).Draw(r, "call")](r)
}

func (m *model) remember(noun string, key backoffice.Optional[string], content, id string) {
	if k, ok := key.Get(); ok {
		m.keys[noun+k] = keyed{content, id}
	}
}

func (m *model) note(action, noun string, fields ...string) {
	slices.Sort(fields)
	m.log = append(m.log, strings.TrimSpace("credential "+action+" "+noun+" "+strings.Join(fields, " ")))
}

func check(r *rapid.T, err error, want string) {
	if got := outcome(err); got != want {
		r.Fatalf("came out as %q, not %q", got, want)
	}
}

// drawCustomer draws what is sent of a customer; faults are those that any customer with it has.
func (m *model) drawCustomer(r *rapid.T) (f backoffice.CustomerFields) {
	if kind, ok := optional(r, "type", "COMPANY", "COMPANY", "PRIVATE_PERSON").Get(); ok {
		f.Type = backoffice.Value(backoffice.CustomerType(kind))
	}
	f.Name = optional(r, "name", "Acme", "Zwaan")
	f.FirstName = optional(r, "firstName", "Ann")
	f.KboNumber = optional(r, "kbo", "0200065765", "0403019261", "0123456789")
	if form, ok := optional(r, "form", "BV", "ONVERDEELDHEID").Get(); ok {
		f.CompanyType = backoffice.Value(backoffice.LegalForm(form))
	}
	f.CustomerCode = optional(r, "code", m.name+"-c1", m.name+"-c2")
	f.ResponsibleID = optional(r, "responsible", m.name+"-u1", m.name+"-u2", "nobody")
	f.RegistrationNumber = optional(r, "number", "85073003328", "17073003384", "12345678901")
	if rapid.Bool().Draw(r, "addressed") {
		f.Address = backoffice.Value(backoffice.AddressFields{City: optional(r, "city", "Gent", "Luik"), Box: optional(r, "box", "1")})
	}
	return f
}

func put[T ~string](into *T, sent backoffice.Optional[string]) {
	if value, _ := sent.Get(); sent.IsSent() {
		*into = T(value)
	}
}

// changedBy applies what was sent and says what is wrong with the outcome, in the order of the domain.
func (m *model) changedBy(c backoffice.Customer, number string, f backoffice.CustomerFields) (_ backoffice.Customer, _ string, wrong []string) {
	before := c
	if kind, ok := f.Type.Get(); ok {
		c.Type = kind
	}
	if form, ok := f.CompanyType.Get(); ok {
		c.CompanyType = form
	}
	put(&c.OwnName, f.Name)
	put(&c.FirstName, f.FirstName)
	put(&c.KboNumber, f.KboNumber)
	put(&c.CustomerCode, f.CustomerCode)
	put(&c.ResponsibleID, f.ResponsibleID)
	if address, ok := f.Address.Get(); ok {
		put(&c.Address.City, address.City)
		put(&c.Address.Box, address.Box)
	}
	put(&number, f.RegistrationNumber)
	switch c.Type {
	case "":
		wrong = append(wrong, "REQUIRED type")
	case backoffice.PrivatePerson:
		if c.KboNumber != "" {
			wrong = append(wrong, "NOT_ALLOWED kboNumber")
		}
		if c.CompanyType != "" {
			wrong = append(wrong, "NOT_ALLOWED companyType")
		}
	case backoffice.Company:
		if c.KboNumber == "0123456789" {
			wrong = append(wrong, "INVALID kboNumber")
		}
		if c.CompanyType == "BV" && c.KboNumber == "" || c.CompanyType == "ONVERDEELDHEID" && c.KboNumber != "" {
			wrong = append(wrong, "NOT_ALLOWED companyType")
		}
	}
	if number == "12345678901" {
		wrong = append(wrong, "INVALID registrationNumber")
	}
	if c.ResponsibleID != "" && m.users[c.ResponsibleID] == nil && c.ResponsibleID != before.ResponsibleID {
		wrong = append(wrong, "NOT_FOUND responsibleId")
	}
	for id, other := range m.customers {
		if c.CustomerCode != "" && id != c.ID && other.CustomerCode == c.CustomerCode {
			wrong = append(wrong, "TAKEN customerCode")
		}
	}
	return c, number, wrong
}

// told are the fields that differ, as the change log names them.
func told(a, b backoffice.Customer, numberA, numberB string) (fields []string) {
	for name, differs := range map[string]bool{
		"type": a.Type != b.Type, "name": a.OwnName != b.OwnName, "firstName": a.FirstName != b.FirstName, "kboNumber": a.KboNumber != b.KboNumber,
		"companyType": a.CompanyType != b.CompanyType, "customerCode": a.CustomerCode != b.CustomerCode, "responsibleId": a.ResponsibleID != b.ResponsibleID,
		"address": a.Address != b.Address, "registrationNumber": numberA != numberB,
	} {
		if differs {
			fields = append(fields, name)
		}
	}
	return fields
}

func (m *model) createCustomer(r *rapid.T) {
	f, key := m.drawCustomer(r), m.key(r)
	m.repeatable(r, key, func(r *rapid.T) { m.createThisCustomer(r, f, key) })
}

func (m *model) createThisCustomer(r *rapid.T, f backoffice.CustomerFields, key backoffice.Optional[string]) {
	made, err := m.w.CreateCustomer(m.t.Context(), m.w.by, f, key)
	c, number, wrong := m.changedBy(backoffice.Customer{Version: 1}, "", f)
	content := fmt.Sprintf("%+v %s", c, number)
	pure := slices.DeleteFunc(slices.Clone(wrong), func(one string) bool { return one == "NOT_FOUND responsibleId" || one == "TAKEN customerCode" })
	if len(pure) == 0 {
		if want, id, done := m.once("customer", key, content, func(id string) bool { return m.customers[id] != nil }); done {
			if check(r, err, want); id != "" && made.ID != id {
				r.Fatalf("a replay gave %s, not %s", made.ID, id)
			}
			return
		}
	}
	if len(wrong) > 0 {
		check(r, err, strings.Join(wrong, ", "))
		return
	}
	check(r, err, "done")
	c.ID = made.ID
	m.customers[c.ID], m.numbers[c.ID] = &c, number
	m.remember("customer", key, content, c.ID)
	m.note("createCustomer", "customer", told(backoffice.Customer{}, c, "", number)...)
}

// expected draws a version to expect: right, wrong or none.
func expected(r *rapid.T, version int) (backoffice.Versions, bool) {
	switch rapid.IntRange(0, 4).Draw(r, "expectation") {
	case 0:
		return backoffice.Versions{version - 1}, false
	case 1:
		return backoffice.Versions{version}, true
	case 2:
		return backoffice.Versions{version + 1, version}, true
	}
	return nil, true
}

func (m *model) updateCustomer(r *rapid.T) {
	id, f := anyOf(r, m, m.customers, "customer"), m.drawCustomer(r)
	before := m.customers[id]
	if before == nil {
		_, err := m.w.UpdateCustomer(m.w.request(m.t), m.w.by, id, f, nil)
		check(r, err, "NOT_FOUND id")
		return
	}
	version, fresh := expected(r, before.Version)
	_, err := m.w.UpdateCustomer(m.w.request(m.t), m.w.by, id, f, version)
	after, number, wrong := m.changedBy(*before, m.numbers[id], f)
	switch fields := told(*before, after, m.numbers[id], number); {
	case !fresh:
		check(r, err, "STALE_VERSION expectedVersion")
	case len(wrong) > 0:
		check(r, err, strings.Join(wrong, ", "))
	case len(fields) == 0:
		check(r, err, "done")
	default:
		check(r, err, "done")
		after.Version++
		if slices.Equal(fields, []string{"registrationNumber"}) { // which nobody sees without the scope
			after.HiddenChanges++
		}
		m.customers[id], m.numbers[id] = &after, number
		m.note("updateCustomer", "customer", fields...)
	}
}

func (m *model) deleteCustomer(r *rapid.T) {
	id := anyOf(r, m, m.customers, "customer")
	c := m.customers[id]
	if c == nil {
		check(r, m.w.deleteCustomer(m.t.Context(), m.w.by, id, nil), "NOT_FOUND id")
		return
	}
	version, fresh := expected(r, c.Version)
	err := m.w.deleteCustomer(m.t.Context(), m.w.by, id, version)
	if !fresh {
		check(r, err, "STALE_VERSION expectedVersion")
		return
	}
	check(r, err, "done")
	m.forget(id)
	m.note("deleteCustomer", "customer")
}

// forget is what the deletion of a customer leaves. It counts what goes with it.
func (m *model) forget(id string) (gone backoffice.CustomerDeletion) {
	delete(m.customers, id)
	m.gone = append(m.gone, id)
	for other, relation := range m.relations {
		if relation.CustomerID == id || relation.RelatedCustomerID == id {
			delete(m.relations, other)
			m.gone = append(m.gone, other)
			gone.Relations++
		}
	}
	for other, transcript := range m.transcripts {
		if transcript.CustomerID == id {
			delete(m.transcripts, other)
			m.gone = append(m.gone, other)
			gone.Transcripts++
		}
	}
	slices.Sort(m.gone) // maps have no order, and draws need one
	return gone
}
