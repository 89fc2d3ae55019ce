package storetest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// valuesOf gives the values that a row has of each dimension: "" for one that is missing.
type valuesOf[P any] map[backoffice.Dimension]func(row P) []string

func one[P any](of func(P) string) func(P) []string {
	return func(row P) []string { return []string{of(row)} }
}

func month(at backoffice.Instant) string { return at.String()[:7] }

func customerValues(o *office) valuesOf[*backoffice.Customer] {
	return valuesOf[*backoffice.Customer]{
		backoffice.GroupByType:         one(func(c *backoffice.Customer) string { return string(c.Type) }),
		backoffice.GroupByLanguage:     one(func(c *backoffice.Customer) string { return string(c.Language) }),
		backoffice.GroupByCompanyType:  one(func(c *backoffice.Customer) string { return string(c.CompanyType) }),
		backoffice.GroupByResponsible:  one(func(c *backoffice.Customer) string { return c.ResponsibleID }),
		backoffice.GroupByCity:         one(func(c *backoffice.Customer) string { return string(c.Address.City) }),
		backoffice.GroupByPostalCode:   one(func(c *backoffice.Customer) string { return string(c.Address.PostalCode) }),
		backoffice.GroupByCountry:      one(func(c *backoffice.Customer) string { return string(c.Address.Country) }),
		backoffice.GroupByCreatedMonth: one(func(c *backoffice.Customer) string { return month(c.CreatedAt) }),
		backoffice.GroupByUpdatedMonth: one(func(c *backoffice.Customer) string { return month(c.UpdatedAt) }),
		backoffice.GroupByLabel:        func(c *backoffice.Customer) []string { return o.labelsOf(c.ResponsibleID) },
		backoffice.GroupByScope: func(c *backoffice.Customer) []string {
			if len(c.Scopes) == 0 {
				return []string{""}
			}
			return c.Scopes
		},
	}
}

// labelsOf are a user's labels, one that is missing for none.
func (o *office) labelsOf(user string) []string {
	for _, u := range o.users {
		if u.ID == user && len(u.LabelIDs) > 0 {
			return u.LabelIDs
		}
	}
	return []string{""}
}

func transcriptValues(o *office) valuesOf[*backoffice.Transcript] {
	responsible, language := map[string]string{}, map[string]string{}
	for _, c := range o.customers {
		responsible[c.ID] = c.ResponsibleID
	}
	for _, k := range o.checklists {
		language[k.ID] = k.Language
	}
	return valuesOf[*backoffice.Transcript]{
		backoffice.GroupByLabel:             func(t *backoffice.Transcript) []string { return o.labelsOf(responsible[t.CustomerID]) },
		backoffice.GroupByStatus:            one(func(t *backoffice.Transcript) string { return string(t.Status) }),
		backoffice.GroupByChecklist:         one(func(t *backoffice.Transcript) string { return t.ChecklistID }),
		backoffice.GroupByFinancialYear:     one(func(t *backoffice.Transcript) string { return t.FinancialYearID }),
		backoffice.GroupByResponsible:       one(func(t *backoffice.Transcript) string { return responsible[t.CustomerID] }),
		backoffice.GroupByLanguage:          one(func(t *backoffice.Transcript) string { return language[t.ChecklistID] }),
		backoffice.GroupByIsCompleted:       one(func(t *backoffice.Transcript) string { return strconv.FormatBool(t.IsCompleted) }),
		backoffice.GroupByDocumentGenerated: one(func(t *backoffice.Transcript) string { return strconv.FormatBool(t.DocumentGenerated) }),
		backoffice.GroupByUpdatedMonth:      one(func(t *backoffice.Transcript) string { return month(t.UpdatedAt) }),
	}
}

// called is what the record is called that a value of a dimension names, "" for values that are no identifiers.
func (o *office) called(by backoffice.Dimension, id string) string {
	switch by {
	case backoffice.GroupByResponsible:
		for _, u := range o.users {
			if u.ID == id {
				return u.DisplayName()
			}
		}
	case backoffice.GroupByLabel:
		for _, l := range o.labels {
			if l.ID == id {
				return l.Name
			}
		}
	case backoffice.GroupByChecklist:
		for _, k := range o.checklists {
			if k.ID == id {
				return k.Name
			}
		}
	case backoffice.GroupByFinancialYear:
		for _, y := range o.years {
			if y.ID == id && y.EndDate != y.StartDate {
				return y.StartDate + "–" + y.EndDate
			} else if y.ID == id {
				return y.StartDate
			}
		}
	}
	return ""
}

// groups are those of a model's rows, in order.
func groups[T any, P rowOf[T], C comparable](o *office, m *model[T, P, C], values valuesOf[P], q backoffice.GroupQuery[C]) *backoffice.Aggregate {
	const parted = "\x01"
	rows := m.list(backoffice.ListQuery[C]{Criteria: q.Criteria}, backoffice.NoParent)
	found, between := map[string]*backoffice.Group{}, map[*backoffice.Group][]int64{}
	for _, row := range rows {
		keys := []string{""}
		for _, dimension := range q.Dimensions() {
			var longer []string
			for _, key := range keys {
				for _, value := range values[dimension](row) {
					longer = append(longer, key+parted+value)
				}
			}
			keys = longer
		}
		for _, key := range keys {
			group := found[key]
			if group == nil {
				group = &backoffice.Group{}
				for i, value := range strings.Split(key, parted)[1:] {
					by := q.By[i]
					group.Keys = append(group.Keys, backoffice.NewGroupKey(by, value, o.called(by, value)))
				}
				found[key] = group
			}
			group.Count++
			if t, is := any(row).(*backoffice.Transcript); is {
				group.AverageProgress += math.Floor(t.ProgressPercentage*1e9 + 0.5) // whole, so that the order does not count
				if t.IsCompleted {
					group.CompletedCount++
				}
				if from, to := momentOf(t, q.Turnaround.From), momentOf(t, q.Turnaround.To); from != 0 && to != 0 {
					between[group] = append(between[group], to.Milliseconds()-from.Milliseconds())
				}
			}
		}
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b *backoffice.Group) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		for i := range a.Keys {
			x, y := a.Keys[i].Value, b.Keys[i].Value
			switch {
			case x == y:
			case x == "":
				return 1
			case y == "":
				return -1
			default:
				return cmp.Compare(x, y)
			}
		}
		return 0
	})
	for _, group := range all {
		group.AverageProgress = math.Round(group.AverageProgress/float64(group.Count)) / 1e9
		group.Turnaround = turnaroundOf(between[group])
	}
	return &backoffice.Aggregate{TotalCount: len(rows), GroupCount: len(all), Groups: append([]*backoffice.Group{}, all[:min(q.First, len(all))]...)}
}

func momentOf(t *backoffice.Transcript, moment backoffice.TranscriptMoment) backoffice.Instant {
	return map[backoffice.TranscriptMoment]backoffice.Instant{
		backoffice.MomentCreated: t.CreatedAt, backoffice.MomentCompleted: t.CompletedAt,
		backoffice.MomentDocumentGenerated: t.DocumentGeneratedAt, backoffice.MomentSent: t.SentAt,
	}[moment]
}

// turnaroundOf takes of each quartile the first that at least so many of all do not exceed.
func turnaroundOf(all []int64) *backoffice.Turnaround {
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	of := &backoffice.Turnaround{Count: len(all)}
	for i, each := range all {
		of.Sum += each
		for part, quartile := range []*int64{&of.Lower, &of.Middle, &of.Upper} {
			if 4*i < (part+1)*len(all) {
				*quartile = each
			}
		}
	}
	return of
}

func readGroups[T any, P rowOf[T], C comparable](ctx context.Context, reader backoffice.Reader[P, C], q backoffice.GroupQuery[C]) (*backoffice.Aggregate, error) {
	var b backoffice.Batch
	got := &backoffice.Aggregate{}
	reader.Groups(&b, q, got)
	return got, reader.Send(ctx, &b)
}

// checkGroups puts drawn questions for groups to a reader and compares.
func checkGroups[T any, P rowOf[T], C comparable](t *testing.T, o *office, m *model[T, P, C], values valuesOf[P], reader backoffice.Reader[P, C]) {
	ctx := t.Context()
	dimensions := slices.Sorted(maps.Keys(values))
	rapid.Check(t, func(t *rapid.T) {
		var criteria C
		if rapid.Bool().Draw(t, "filtered") {
			criteria = m.draw(t)
		}
		by := rapid.Permutation(dimensions).Draw(t, "by")[:rapid.IntRange(1, backoffice.MaxDimensions).Draw(t, "dimensions")]
		first := rapid.SampledFrom([]int{0, 1, 3, backoffice.MaxPageSize}).Draw(t, "first")
		q, err := backoffice.NewGroupQuery(criteria, by, &first)
		if err != nil {
			t.Fatal(err)
		}
		if _, transcripts := any(criteria).(backoffice.TranscriptCriteria); transcripts && rapid.Bool().Draw(t, "with turnarounds") {
			moments := []backoffice.TranscriptMoment{backoffice.MomentCreated, backoffice.MomentCompleted, backoffice.MomentDocumentGenerated, backoffice.MomentSent}
			q.Turnaround = backoffice.TurnaroundBetween{From: pick(t, "from", moments...), To: pick(t, "to", moments...)}
		}
		got, err := readGroups[T](ctx, reader, q)
		if err != nil {
			t.Fatalf("%+v: %v (%v)", q, err, errorCause(err))
		}
		if got.Groups == nil {
			got.Groups = []*backoffice.Group{}
		}
		if diff := gocmp.Diff(groups(o, m, values, q), got); diff != "" {
			t.Fatalf("%+v (-wanted +got):\n%s", q, diff)
		}
	})
}

// groupedCrowd is the crowd with values of every dimension.
func groupedCrowd() *office {
	o := crowd()
	for i, c := range o.customers { // some of each end of a month, and some before 1970
		c.Address = backoffice.Address{City: []backoffice.Text{"Gent", "gent", "Liège", "Ç", ""}[i%5], PostalCode: []backoffice.Text{"9000", "4000", ""}[i%3], Country: []backoffice.Text{"", "BE"}[i%2]}
		c.CreatedAt = []backoffice.Instant{c.CreatedAt, backoffice.InstantAt(1_706_745_599_999), backoffice.InstantAt(1_706_745_600_000), backoffice.InstantAt(-1), backoffice.InstantAt(-62_135_596_800_000), backoffice.InstantAt(253_402_300_799_999)}[i%6]
		if i%3 == 0 { // another month for those who do not see its registration numbers
			c.UpdatedAt, c.OpenUpdatedAt = backoffice.InstantAt(1_706_745_600_000), backoffice.InstantAt(1_706_745_599_999)
		}
	}
	o.years[1].EndDate = "2031"
	return o
}

func testGroups(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	SkipUnderRace(t)
	store := newStore(t)
	groupedCrowd().insert(t, store)
	o := groupedCrowd()
	t.Run("customers", func(t *testing.T) { checkGroups(t, o, o.customerModel(), customerValues(o), store.Customers()) })
	t.Run("customers without numbers", func(t *testing.T) {
		checkGroups(t, o, withoutNumbers(o.customerModel()), customerValues(o), store.CustomersWithoutNumbers())
	})
	t.Run("transcripts", func(t *testing.T) {
		checkGroups(t, o, o.transcriptModel(), transcriptValues(o), store.Transcripts())
	})
	t.Run("duplicates", func(t *testing.T) { checkDuplicates(t, o, store.Customers()) })
	t.Run("a dimension of another noun is refused", func(t *testing.T) {
		q := backoffice.GroupQuery[backoffice.CustomerCriteria]{By: [backoffice.MaxDimensions]backoffice.Dimension{backoffice.GroupByStatus}, First: 1}
		if _, err := readGroups(t.Context(), store.Customers(), q); backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("%v", err)
		}
	})
}

// SweepGroups asks a store for groups by each dimension: of all rows, and of those that a filter with an index picks.
// The store is one that Fill filled.
func SweepGroups(t *testing.T, store backoffice.Store, filtered bool) {
	t.Helper()
	o := crowd()
	var customers backoffice.CustomerCriteria
	var transcripts backoffice.TranscriptCriteria
	if filtered {
		customers.ResponsibleID, transcripts.CustomerID = o.users[1].ID, o.customers[1].ID
	}
	sweepGroups(t, store.Customers(), customers, customerValues(o))
	sweepGroups(t, store.CustomersWithoutNumbers(), customers, customerValues(o))
	sweepGroups(t, store.Transcripts(), transcripts, transcriptValues(o))
	between := backoffice.TurnaroundBetween{From: backoffice.MomentCreated, To: backoffice.MomentCompleted}
	by := [backoffice.MaxDimensions]backoffice.Dimension{backoffice.GroupByLabel, backoffice.GroupByResponsible, backoffice.GroupByLanguage}
	if _, err := readGroups(t.Context(), store.Transcripts(), backoffice.GroupQuery[backoffice.TranscriptCriteria]{Criteria: transcripts, By: by, First: 5, Turnaround: between}); err != nil {
		t.Fatalf("%v (%v)", err, errorCause(err))
	}
	for key := range duplicated {
		q, err := backoffice.NewDuplicateQuery(customers, key, nil, mayReadNumbers)
		if err == nil {
			_, err = readGroups(t.Context(), store.Customers(), q)
		}
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
}

func sweepGroups[T any, P rowOf[T], C comparable](t *testing.T, reader backoffice.Reader[P, C], criteria C, values valuesOf[P]) {
	t.Helper()
	for dimension := range values {
		q, err := backoffice.NewGroupQuery(criteria, []backoffice.Dimension{dimension}, nil)
		if err == nil {
			_, err = readGroups[T](t.Context(), reader, q)
		}
		if err != nil {
			t.Fatalf("%s: %v (%v)", dimension, err, errorCause(err))
		}
	}
}
