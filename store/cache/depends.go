package cache

import (
	"slices"

	"example.org/backoffice/backoffice"
)

// members, added to a noun's number, represents which records exist, whatever their content: an update does not count.
const members = len(backoffice.Nouns)

// The numbers of nouns are their indexes among all.
var (
	years, checklists      = backoffice.NounFinancialYear.Index(), backoffice.NounChecklist.Index()
	users, labels          = backoffice.NounUser.Index(), backoffice.NounLabel.Index()
	customers, transcripts = backoffice.NounCustomer.Index(), backoffice.NounTranscript.Index()
	relations, documents   = backoffice.NounRelation.Index(), backoffice.NounDocument.Index()
	discrepancies          = backoffice.NounDiscrepancy.Index()
)

// withoutNumbers is the second view of customers; the first view of each noun has its number.
const withoutNumbers = view(members)

func viewsOf(no int) []view {
	if no == customers {
		return []view{view(no), withoutNumbers}
	}
	return []view{view(no)}
}

// nounSet is a set of numbers of nouns: any change of their records counts.
type nounSet uint32

var _ [32 - 2*members]struct{} // the bits still free

// rules define what the answers to a noun's queries depend on.
type rules[C comparable] struct {
	noun int
	// finds reports whether a record can match; if not, the store is not asked.
	finds func(C) bool
	// uncached are criteria whose answers are not cached: those that depend on the identity of a value, on the clock of
	// the store's transactions, or on a registration number.
	uncached func(C) bool
	// beside are the other nouns that criteria query; none for most criteria.
	beside func(backoffice.Parent, C) nounSet
	// ranked are the other nouns that orders use; none for most orders.
	ranked map[backoffice.OrderKey]nounSet
}

func (r *rules[C]) keeps(c C) bool { return r.uncached == nil || !r.uncached(c) }

// depends are the nouns on which a query about a parent depends as a whole; none when only records of the parent, whose
// changes name it, can change its answer. anyOrder: the content of the matching records makes no difference.
func (r *rules[C]) depends(under backoffice.Parent, c C, by backoffice.OrderKey, anyOrder bool) nounSet {
	beside := r.ranked[by]
	if r.beside != nil {
		beside |= r.beside(under, c)
	}
	if under != backoffice.Root && beside == 0 {
		return 0
	}
	if anyOrder && c == *new(C) && under == backoffice.Root {
		return 1 << (members + r.noun)
	}
	return beside | 1<<r.noun
}

var (
	transcriptRules = rules[backoffice.TranscriptCriteria]{
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
		uncached: customersUncached,
		beside:   func(_ backoffice.Parent, c backoffice.CustomerCriteria) nounSet { return besideCustomers(c) },
		ranked: map[backoffice.OrderKey]nounSet{
			backoffice.KeyRelations:       1 << relations,
			backoffice.KeyOpenTranscripts: 1 << transcripts,
		},
	}
)

// transcriptsUncached and besideTranscripts are the rules for criteria on transcripts, nested ones included.
func transcriptsUncached(c backoffice.TranscriptCriteria) bool {
	return c.UpdatedSince != 0 || slices.ContainsFunc(c.Any.List(), transcriptsUncached) ||
		slices.ContainsFunc(c.Not.List(), transcriptsUncached)
}

func besideTranscripts(c backoffice.TranscriptCriteria) (of nounSet) {
	if c.ResponsibleID != "" { // through their customers
		of |= 1 << customers
	}
	if c.LabelID != "" {
		of |= 1<<customers | 1<<users | 1<<labels
	}
	if c.Overdue != "" || c.NotOverdue != "" {
		of |= 1 << checklists
	}
	return of | union(besideTranscripts, c.Any, c.Not)
}

// customersUncached and besideCustomers are the same for criteria on customers.
func customersUncached(c backoffice.CustomerCriteria) bool {
	return c.IDs != nil || c.UpdatedSince != 0 || c.RegistrationIndex != "" || c.SpouseRegistrationIndex != "" ||
		slices.ContainsFunc(c.Any.List(), customersUncached) || slices.ContainsFunc(c.Not.List(), customersUncached) ||
		slices.ContainsFunc(c.SomeTranscript.List(), transcriptsUncached) ||
		slices.ContainsFunc(c.NoTranscript.List(), transcriptsUncached)
}

func besideCustomers(c backoffice.CustomerCriteria) (of nounSet) {
	if c.WithoutChecklistID != "" || c.MissingChecklistOf != "" {
		of |= 1<<transcripts | 1<<checklists
	}
	if c.SomeTranscript.IsSet() || c.NoTranscript.IsSet() {
		of |= 1<<transcripts | union(besideTranscripts, c.SomeTranscript, c.NoTranscript)
	}
	if c.LabelID != "" {
		of |= 1<<users | 1<<labels
	}
	if c.OwnershipDiffers != backoffice.Either {
		of |= 1 << discrepancies
	}
	if c.HasDocument != backoffice.Either {
		of |= 1 << documents
	}
	if c.Relations.AtLeast > 0 {
		of |= 1 << relations
	}
	return of | union(besideCustomers, c.Any, c.Not)
}

// union combines beside for nested criteria.
func union[C comparable](beside func(C) nounSet, within ...backoffice.Nested[C]) (of nounSet) {
	for _, nested := range within {
		for _, c := range nested.List() {
			of |= beside(c)
		}
	}
	return of
}
