package cache

import (
	"slices"

	"example.org/backoffice/backoffice"
)

// The nouns whose records are kept, by their numbers.
const (
	years = iota
	checklists
	transcripts
	calculations
	customers
	relations
	documents
	minfin
	users
	labels
	nNouns
)

var numberOf = map[backoffice.Noun]int{
	backoffice.NounFinancialYear: years, backoffice.NounChecklist: checklists, backoffice.NounTranscript: transcripts,
	backoffice.NounCalculation: calculations, backoffice.NounCustomer: customers, backoffice.NounRelation: relations,
	backoffice.NounDocument: documents, backoffice.NounMinfin: minfin, backoffice.NounUser: users, backoffice.NounLabel: labels,
}

// withoutNumbers is the second view of customers; the first view of each noun has its number.
const withoutNumbers view = nNouns

var viewsOf = func() (of [nNouns][]view) {
	for no := range of {
		of[no] = []view{view(no)}
	}
	of[customers] = append(of[customers], withoutNumbers)
	return of
}()

// nounSet is a set of numbers of nouns: any change of a record of theirs counts. With members added to its number, a
// noun stands for the records that there are, whatever is in them: an update does not count.
type nounSet uint32

const members = nNouns

// rules tell of what the answers to a noun's questions depend.
type rules[C comparable] struct {
	noun int
	// nothing says that no record can match, so that no store is asked.
	nothing func(C) bool
	// uncached are criteria whose answers are not kept: those that go by the identity of a value, by the clock of the
	// store's transactions, or by a registration number.
	uncached func(C) bool
	// beside are the other nouns by which criteria pick records; none of most criteria.
	beside func(backoffice.Parent, C) nounSet
	// ranked are the other nouns by which orders put records; none of most orders.
	ranked map[backoffice.OrderKey]nounSet
}

// finds reports whether a record can match.
func (r *rules[C]) finds(c C) bool { return r.nothing == nil || !r.nothing(c) }

// keeps reports whether answers to criteria are kept.
func (r *rules[C]) keeps(c C) bool { return r.uncached == nil || !r.uncached(c) }

// depends are the nouns on which a question about a parent depends as a whole; none when nothing can change its answer
// but records that hang on the parent itself, and tell so. anyOrder says that it makes no difference what is in the
// records which the criteria pick.
func (r *rules[C]) depends(under backoffice.Parent, c C, by backoffice.OrderKey, anyOrder bool) nounSet {
	beside := r.ranked[by]
	if r.beside != nil {
		beside |= r.beside(under, c)
	}
	if under != backoffice.Root && beside == 0 {
		return 0
	}
	var all C
	if anyOrder && c == all && under == backoffice.Root {
		return 1 << (members + r.noun)
	}
	return beside | 1<<r.noun
}

var (
	yearRules      = rules[backoffice.FinancialYearCriteria]{noun: years}
	checklistRules = rules[backoffice.ChecklistCriteria]{noun: checklists, nothing: func(c backoffice.ChecklistCriteria) bool { return c.Nothing }}
	documentRules  = rules[backoffice.DocumentCriteria]{noun: documents, nothing: func(c backoffice.DocumentCriteria) bool { return c.Nothing }}
	minfinRules    = rules[backoffice.MinfinCriteria]{noun: minfin, nothing: func(c backoffice.MinfinCriteria) bool { return c.Nothing }}
	relationRules  = rules[backoffice.RelationCriteria]{noun: relations, nothing: func(c backoffice.RelationCriteria) bool { return c.Nothing }}
	calcRules      = rules[backoffice.CalculationCriteria]{noun: calculations, nothing: func(c backoffice.CalculationCriteria) bool { return c.Nothing }}
	userRules      = rules[backoffice.UserCriteria]{noun: users}
	labelRules     = rules[backoffice.LabelCriteria]{noun: labels}

	transcriptRules = rules[backoffice.TranscriptCriteria]{
		noun:     transcripts,
		nothing:  func(c backoffice.TranscriptCriteria) bool { return c.Nothing },
		uncached: transcriptsUncached,
		beside: func(under backoffice.Parent, c backoffice.TranscriptCriteria) nounSet {
			of := besideTranscripts(c)
			if under == backoffice.OfUser { // through their customers
				of |= 1 << customers
			}
			return of
		},
		ranked: map[backoffice.OrderKey]nounSet{backoffice.KeyCustomerName: 1 << customers},
	}
	customerRules = rules[backoffice.CustomerCriteria]{
		noun:     customers,
		nothing:  func(c backoffice.CustomerCriteria) bool { return c.Nothing },
		uncached: customersUncached,
		beside:   func(_ backoffice.Parent, c backoffice.CustomerCriteria) nounSet { return besideCustomers(c) },
		ranked: map[backoffice.OrderKey]nounSet{
			backoffice.KeyRelations:       1 << relations,
			backoffice.KeyOpenTranscripts: 1 << transcripts,
		},
	}
)

// transcriptsUncached and besideTranscripts are the rules for criteria on transcripts, with those that lie within them.
func transcriptsUncached(c backoffice.TranscriptCriteria) bool {
	return c.UpdatedSince != 0 || slices.ContainsFunc(c.Any.List(), transcriptsUncached) || slices.ContainsFunc(c.Not.List(), transcriptsUncached)
}

func besideTranscripts(c backoffice.TranscriptCriteria) (of nounSet) {
	if c.ResponsibleID != "" { // through their customers
		of |= 1 << customers
	}
	return of | union(besideTranscripts, c.Any, c.Not)
}

// customersUncached and besideCustomers are likewise those for criteria on customers.
func customersUncached(c backoffice.CustomerCriteria) bool {
	return c.IDs != nil || c.UpdatedSince != 0 || c.RegistrationIndex != "" || c.SpouseRegistrationIndex != "" ||
		slices.ContainsFunc(c.Any.List(), customersUncached) || slices.ContainsFunc(c.Not.List(), customersUncached) ||
		slices.ContainsFunc(c.SomeTranscript.List(), transcriptsUncached) || slices.ContainsFunc(c.NoTranscript.List(), transcriptsUncached)
}

func besideCustomers(c backoffice.CustomerCriteria) (of nounSet) {
	if c.WithoutChecklistID != "" {
		of |= 1<<transcripts | 1<<checklists
	}
	if c.SomeTranscript.IsSet() || c.NoTranscript.IsSet() {
		of |= 1<<transcripts | union(besideTranscripts, c.SomeTranscript, c.NoTranscript)
	}
	if c.Relations.AtLeast > 0 {
		of |= 1 << relations
	}
	return of | union(besideCustomers, c.Any, c.Not)
}

// union are the nouns beside any of the criteria that lie within others.
func union[C comparable](beside func(C) nounSet, within ...backoffice.Nested[C]) (of nounSet) {
	for _, nested := range within {
		for _, c := range nested.List() {
			of |= beside(c)
		}
	}
	return of
}
