package cache_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

// question is one that a store answers. Another n is the same question about another page, which no memory holds.
type question struct {
	reader string
	name   string
	ask    func(ctx context.Context, s backoffice.Store, n int) (any, error)
}

// asked has for each of backoffice.Readers the questions that it answers.
var asked = map[string]func(t *testing.T, s backoffice.Store) []question{
	"FinancialYears":          questionsOf(backoffice.Store.FinancialYears, "year-0", "year-1"),
	"Checklists":              questionsOf(backoffice.Store.Checklists, "checklist-0", "checklist-1"),
	"Calculations":            questionsOf(backoffice.Store.Calculations, "calculation-0", "calculation-1", "calculation-2"),
	"Customers":               questionsOf(backoffice.Store.Customers, "customer-0", "customer-1", "customer-2", "customer-3"),
	"CustomersWithoutNumbers": questionsOf(backoffice.Store.CustomersWithoutNumbers, "customer-0", "customer-1", "customer-2", "customer-3"),
	"Relations":               questionsOf(backoffice.Store.Relations, "relation-0", "relation-1", "relation-2"),
	"Documents":               questionsOf(backoffice.Store.Documents, "document-0", "document-1", "document-2"),
	"MinfinDocuments":         questionsOf(backoffice.Store.MinfinDocuments, "minfin-0", "minfin-1", "minfin-2"),
	"Discrepancies":           questionsOf(backoffice.Store.Discrepancies, "discrepancy-0", "discrepancy-1", "discrepancy-2"),
	"Users":                   questionsOf(backoffice.Store.Users, "user-0", "user-1", "user-2"),
	"Labels":                  questionsOf(backoffice.Store.Labels, "label-0", "label-1", "label-2"),
	"Consultations":           questionsOf(backoffice.Store.Consultations),
	"Transcripts": func(t *testing.T, s backoffice.Store) []question {
		transcripts := func(s backoffice.Store) backoffice.Reader[*backoffice.Transcript, backoffice.TranscriptCriteria] {
			return s.Transcripts()
		}
		all := questionsOf(transcripts, "transcript-0", "transcript-1", "transcript-2")(t, s)
		for parent, ids := range parentIDs {
			for name, c := range criteriaOf[backoffice.TranscriptCriteria](t) {
				offer(t, s, &all, question{"Transcripts", fmt.Sprint("totals by status with ", name, " under ", parent), func(ctx context.Context, s backoffice.Store, _ int) (any, error) {
					var b backoffice.Batch
					counts := make([][]backoffice.TranscriptStatusCount, len(ids))
					s.Transcripts().StatusCounts(&b, parent, c, ids, counts)
					return counts, s.Send(ctx, &b)
				}})
			}
		}
		return all
	},
	"Nouns": func(*testing.T, backoffice.Store) []question {
		return []question{{"Nouns", "nouns", func(ctx context.Context, s backoffice.Store, _ int) (any, error) {
			return backoffice.ReadNouns(ctx, s, []string{"customer-3", "label-2", "transcript-0", "document-1", "relation-2", "minfin-0", "user-2", "none"})
		}}}
	},
}

// parentIDs are the records on which lists hang.
var parentIDs = map[backoffice.Parent][]string{
	backoffice.Root: {backoffice.NoParent}, backoffice.OfFinancialYear: {"year-0", "year-1"}, backoffice.OfChecklist: {"checklist-0", "checklist-1"},
	backoffice.OfCustomer: {"customer-0", "customer-1", "customer-2"}, backoffice.OfUser: {"user-0", "user-1"}, backoffice.OfTranscript: {"transcript-0", "transcript-1"},
}

// criterionTexts are values of criteria that are texts, by their names.
var criterionTexts = map[string]string{
	"Language": "dutch", "ResponsibleID": "user-1", "LabelID": "label-1", "EmailFolded": "a0@example.org", "CustomerCode": "code", "KboNumber": "0123456749", "Scope": "scope",
	"Search": "name", "Fuzzy": "name", "WithoutChecklistID": "checklist-0", "MissingChecklistOf": "year-0", "RegistrationIndex": registrationIndex, "SpouseRegistrationIndex": registrationIndex,
	"City": "gent", "PostalCode": "9000", "Country": "be", "CustomerID": "customer-0", "RelatedCustomerID": "customer-1", "ChecklistID": "checklist-0",
	"FinancialYearID": "year-0", "TranscriptID": "transcript-0", "DocumentType": "type", "AsOf": "2026-01-01", "Overdue": "2026-04-01", "NotOverdue": "2026-04-01",
}

const registrationIndex = "0123456789abcdef0123456789abcdef"

// criterionValues are those of other types.
var criterionValues = []any{
	true, backoffice.Company, backoffice.LegalForms()[0], backoffice.RelationKinds[0], backoffice.NotDeclared, backoffice.Outgoing, backoffice.Yes, backoffice.StatusSet(1),
	backoffice.Instant(5), backoffice.Span{From: 5, HasFrom: true}, backoffice.NewIDs([]string{"customer-0", "customer-3"}),
	backoffice.NestedOf(backoffice.CustomerCriteria{Language: "dutch"}), backoffice.NestedOf(backoffice.TranscriptCriteria{IsCompleted: backoffice.Yes}),
	backoffice.RelationsCriteria{AtLeast: 1}, backoffice.VariableCriteria{Set: true, Key: "key", Text: "0"}, backoffice.VariableRange{Set: true, Key: "key", Most: 1},
}

// criteriaOf are none and each criterion alone.
func criteriaOf[C comparable](t *testing.T) map[string]C {
	t.Helper()
	var all C
	list := map[string]C{"no criterion": all}
	of := reflect.TypeFor[C]()
	for i := range of.NumField() {
		field := of.Field(i)
		value := reflect.ValueOf(criterionTexts[field.Name])
		if field.Type.Kind() != reflect.String || field.Type != value.Type() {
			at := slices.IndexFunc(criterionValues, func(v any) bool { return reflect.TypeOf(v) == field.Type })
			if at < 0 {
				t.Fatalf("there is no value for the criterion %s of %s", field.Name, of)
			}
			value = reflect.ValueOf(criterionValues[at])
		} else if value.Len() == 0 {
			t.Fatalf("there is no value for the criterion %s of %s", field.Name, of)
		}
		c := reflect.New(of).Elem()
		c.Field(i).Set(value)
		list[field.Name] = c.Interface().(C)
	}
	return list
}

// offer adds a question, if the store takes it.
func offer(t *testing.T, s backoffice.Store, all *[]question, q question) bool {
	t.Helper()
	_, err := q.ask(t.Context(), s, 0)
	if backoffice.KindOf(err) == backoffice.BadInput {
		return false
	}
	if err != nil {
		t.Fatalf("%s, %s: %v (%v)", q.reader, q.name, err, errors.Unwrap(err))
	}
	*all = append(*all, q)
	return true
}

// mostOrders and mostParents are more than there are.
const mostOrders, mostParents = 24, 12

// questionsOf has a reader find records, and list and count them under each parent, in each order and by each
// criterion that it takes.
func questionsOf[T backoffice.Entity, C comparable](of func(backoffice.Store) backoffice.Reader[T, C], ids ...string) func(t *testing.T, s backoffice.Store) []question {
	return func(t *testing.T, s backoffice.Store) (all []question) {
		t.Helper()
		reader := reflect.TypeFor[T]().String()
		all = append(all, question{reader, "find", func(ctx context.Context, s backoffice.Store, _ int) (any, error) {
			return backoffice.ReadByID(ctx, of(s), append([]string{"none"}, ids...), 0)
		}})
		taken := map[string]bool{}
		for parent := range backoffice.Parent(mostParents) {
			parents, known := parentIDs[parent]
			if !known {
				parents = []string{"none"}
			}
			for name, c := range criteriaOf[C](t) {
				for key := range backoffice.OrderKey(mostOrders) {
					for _, descending := range []bool{false, true} {
						if name != "no criterion" && (key != backoffice.KeyID || descending) && (key != backoffice.KeyRelevance || name != "Search" && name != "Fuzzy") {
							continue
						}
						list := backoffice.ListQuery[C]{Parent: parent, Criteria: c, Order: backoffice.Order{Key: key, Descending: descending}}
						taken[name] = offer(t, s, &all, question{reader, fmt.Sprintf("list with %s under %d in the order %d %v", name, parent, key, descending), func(ctx context.Context, s backoffice.Store, n int) (any, error) {
							list := list
							list.Window.Limit = 2 + n
							return backoffice.ReadPages(ctx, of(s), list, parents[:1+n%len(parents)], 0)
						}}) || taken[name]
					}
				}
				if offer(t, s, &all, question{reader, fmt.Sprintf("total with %s under %d", name, parent), func(ctx context.Context, s backoffice.Store, _ int) (any, error) {
					return backoffice.ReadCounts(ctx, of(s), parent, c, parents)
				}}) && !known {
					t.Fatalf("%s hang on parents of which the test knows none", reader)
				}
			}
		}
		for name := range criteriaOf[C](t) {
			if !taken[name] {
				t.Errorf("no list of %s takes the criterion %s", reader, name)
			}
		}
		offer(t, s, &all, question{reader, "groups", func(ctx context.Context, s backoffice.Store, _ int) (any, error) {
			var b backoffice.Batch
			var groups backoffice.Aggregate
			of(s).Groups(&b, backoffice.GroupQuery[C]{By: [backoffice.MaxDimensions]backoffice.Dimension{backoffice.GroupByLanguage}, First: 10}, &groups)
			return groups, of(s).Send(ctx, &b)
		}})
		return all
	}
}

// allQuestions are those of all readers that there are.
func allQuestions(t *testing.T, s backoffice.Store) (all []question) {
	t.Helper()
	for m := range reflect.TypeFor[backoffice.Readers]().Methods() {
		name := m.Name
		if name == "Send" || name == "Records" {
			continue
		}
		of, ok := asked[name]
		if !ok {
			t.Fatalf("nothing is asked of %s", name)
		}
		for _, q := range of(t, s) {
			q.reader = name
			all = append(all, q)
		}
	}
	return all
}

// changed has for each writer of backoffice.Tx a change of one of its records.
var changed = map[string]func(ctx context.Context, tx backoffice.Tx, n int) error{
	"FinancialYears": func(ctx context.Context, tx backoffice.Tx, n int) error {
		return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{{ID: one("year", n%2), StartDate: fmt.Sprint(1000 + n), EndDate: "2026", IsCurrentYear: n%2 == 0}})
	},
	"Checklists": func(ctx context.Context, tx backoffice.Tx, n int) error {
		return tx.Checklists().Upsert(ctx, []*backoffice.Checklist{{ID: one("checklist", n%2), Name: fmt.Sprint(n), Language: language(n / 2), FinancialYearID: one("year", n%2)}})
	},
	"Users": func(ctx context.Context, tx backoffice.Tx, n int) error {
		if n%8 == 7 {
			_, err := tx.Users().Delete(ctx, "user-2")
			return err
		}
		return tx.Users().Upsert(ctx, []*backoffice.User{{
			ID: one("user", n%3), FirstName: fmt.Sprint("name ", n), LastName: "x", Email: fmt.Sprint(n, "@example.org"), LabelIDs: []string{one("label", n/3%2)}, Version: 1,
		}})
	},
	"Labels": func(ctx context.Context, tx backoffice.Tx, n int) error {
		if n%4 == 3 {
			_, err := tx.Labels().Delete(ctx, "label-2")
			return err
		}
		return tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: one("label", n%3), Name: fmt.Sprint("name ", n)}})
	},
	"Customers": func(ctx context.Context, tx backoffice.Tx, n int) error {
		if n%8 == 7 {
			_, err := tx.Customers().Delete(ctx, "customer-3")
			return err
		}
		c := &backoffice.Customer{
			ID: one("customer", n%4), Type: backoffice.CustomerTypes[n/4%2], OwnName: backoffice.Text(fmt.Sprint("name ", n)), DisplayName: fmt.Sprint("name ", n),
			Language: backoffice.Text(language(n / 8)), Email: backoffice.Text(fmt.Sprintf("a%d@example.org", n/4%2)), Version: 1,
			CreatedAt: backoffice.Instant(n % 10), UpdatedAt: backoffice.Instant(n),
		}
		if n/4%3 > 0 {
			c.ResponsibleID, c.Scopes, c.CompanyType = one("user", n/4%2), []string{"scope"}, backoffice.LegalForms()[n/4%2]
			c.Address = backoffice.Address{City: "Gent", PostalCode: "9000", Country: "BE"}
		}
		if c.ID == "customer-0" && n/4%2 == 0 {
			c.CustomerCode, c.KboNumber, c.Phone = "code", "0123456749", "1"
			c.Registration = backoffice.SealedOf([]byte("cipher"), []byte(registrationIndex))
			c.SpouseRegistration = c.Registration
		}
		return tx.Customers().Upsert(ctx, []*backoffice.Customer{c})
	},
	"Relations": func(ctx context.Context, tx backoffice.Tx, n int) error {
		id := one("relation", n%3)
		if n%4 == 3 {
			_, err := tx.Relations().Delete(ctx, id)
			return err
		}
		return tx.Relations().Upsert(ctx, []*backoffice.CustomerRelation{{
			ID: id, Kind: backoffice.RelationKinds[n%3], CustomerID: one("customer", n/3%2), RelatedCustomerID: one("customer", 1+n/3%2), CreatedAt: backoffice.Instant(n),
		}})
	},
	"Transcripts": func(ctx context.Context, tx backoffice.Tx, n int) error {
		id := one("transcript", n%3)
		if n%8 == 7 {
			_, err := tx.Transcripts().Delete(ctx, id)
			return err
		}
		list := n / 4 % 2
		return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{{
			ID: id, OwnStatus: backoffice.OwnStatuses[n/2%2], OwnUpdatedAt: backoffice.Instant(n), IsCompleted: n/4%2 == 0, DocumentGenerated: n/8%2 == 0, ProgressPercentage: float64(n % 100),
			CustomVariables: backoffice.JSON(fmt.Sprintf(`{"key":"%d"}`, n%2)), CustomerID: one("customer", n%3), ChecklistID: one("checklist", list), FinancialYearID: one("year", list),
		}})
	},
	"Calculations": func(ctx context.Context, tx backoffice.Tx, n int) error {
		no := n % 3
		held, err := backoffice.ReadByID(ctx, tx.Transcripts(), []string{one("transcript", no)}, 0)
		transcript := held[one("transcript", no)]
		if err != nil || transcript == nil {
			return err
		}
		if n%8 == 7 {
			_, err := tx.Calculations().Delete(ctx, one("calculation", no))
			return err
		}
		states := backoffice.CalculationStates
		return tx.Calculations().Upsert(ctx, []*backoffice.Calculation{{
			ID: one("calculation", no), State: states[n/3%len(states)], UpdatedAt: backoffice.Instant(n), TranscriptID: transcript.ID, CustomerID: transcript.CustomerID,
		}})
	},
	"Documents": func(ctx context.Context, tx backoffice.Tx, n int) error {
		id := one("document", n%3)
		if n%4 == 3 {
			_, err := tx.Documents().Delete(ctx, id)
			return err
		}
		return tx.Documents().Upsert(ctx, []*backoffice.CustomerDocument{{ID: id, Name: fmt.Sprint(n), CustomerID: one("customer", n/3%3), CreatedAt: 1}})
	},
	"Discrepancies": func(ctx context.Context, tx backoffice.Tx, n int) error {
		id := one("discrepancy", n%3)
		if n%4 == 3 {
			_, err := tx.Discrepancies().Delete(ctx, id)
			return err
		}
		d := &backoffice.Discrepancy{ID: id, Kind: backoffice.NotDeclared, CustomerID: one("customer", n/3%3), PersonID: one("customer", 3), SeenAt: 1, Version: n + 1}
		if n%2 == 1 {
			d.ClosedAt = backoffice.Instant(n)
		}
		return tx.Discrepancies().Upsert(ctx, []*backoffice.Discrepancy{d})
	},
	"MinfinDocuments": func(ctx context.Context, tx backoffice.Tx, n int) error {
		id := one("minfin", n%3)
		if n%4 == 3 {
			_, err := tx.MinfinDocuments().Delete(ctx, id)
			return err
		}
		return tx.MinfinDocuments().Upsert(ctx, []*backoffice.MinfinDocument{{
			ID: id, Name: fmt.Sprint(n), DocumentType: "type", CustomerID: one("customer", n/3%3), FinancialYearID: one("year", n/3%2), SynchronisedAt: backoffice.Instant(n % 10),
		}})
	},
}

func one(noun string, no int) string { return fmt.Sprint(noun, "-", no) }

func language(n int) string { return []string{"dutch", "french"}[n%2] }

// allChanges are those of all writers that there are, each behind those that it refers to.
func allChanges(t *testing.T) []string {
	t.Helper()
	ordered := []string{"FinancialYears", "Checklists", "Labels", "Users", "Customers", "Relations", "Transcripts", "Calculations", "Documents", "MinfinDocuments", "Discrepancies"}
	for m := range reflect.TypeFor[backoffice.Tx]().Methods() {
		if m.Type.NumIn() > 0 || m.Type.NumOut() != 1 || m.Type.Out(0).Kind() != reflect.Interface {
			continue
		}
		if _, writes := m.Type.Out(0).MethodByName("Upsert"); writes && (changed[m.Name] == nil || !slices.Contains(ordered, m.Name)) {
			t.Fatalf("nothing is written to %s", m.Name)
		}
	}
	return ordered
}
