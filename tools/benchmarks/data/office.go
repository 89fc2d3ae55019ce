// Package data makes the office that the benchmarks measure: customers, the relations between them and their
// transcripts, the same on every machine. It writes them straight into the store's tables and must not be used for
// anything that is not measured: it skips the rules that the APIs hold writes to.
package data

import (
	"fmt"
	"math/bits"
	"strings"

	"example.org/backoffice/backoffice"
)

// The sizes that do not grow with the number of customers.
const (
	Users             = 200
	Years             = 6
	ChecklistsPerYear = 12
)

const (
	firstYear = 2021
	perBusy   = 10        // relations and transcripts of a busy customer
	prime     = 1<<31 - 1 // shares no divisor with a smaller number of customers
)

// MinCustomers is the size of the smallest office: a fifth of it is enough for ten different relations each.
const MinCustomers = 100

// Office is an office with a number of customers, twice as many relations and five times as many transcripts.
//
// The first fifth by identifier are its busy customers: each of them has ten relations, seven of them to directors of
// their kind, and ten transcripts. The rest share the other transcripts. Records are numbered in the order of their
// identifiers, and rows that belong together lie apart, as in a database that has grown over years.
type Office struct{ Customers int }

// Relations is the number of relations.
func (o Office) Relations() int { return o.Busy() * perBusy }

// Transcripts is the number of transcripts.
func (o Office) Transcripts() int { return 5 * o.Customers }

// Busy is the number of busy customers.
func (o Office) Busy() int { return o.Customers / 5 }

// nouns tell identifiers of different nouns apart.
type noun uint64

const (
	userNoun noun = iota + 1
	yearNoun
	checklistNoun
	customerNoun
	relationNoun
	transcriptNoun
)

// start is when the first record was made: 2021-01-01.
const start = 1_609_459_200_000

// id is the identifier of record i: a UUID of version 7, so that identifiers are in the order of the records.
func id(n noun, i int) string {
	high := uint64(start+i*16)<<16 | 7<<12 | scatter(uint64(n)<<48|uint64(i))&0xfff
	low := scatter(uint64(n)<<56|uint64(i)+prime)&(1<<62-1) | 1<<63
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1))
}

// scatter is a number without visible order (splitmix64).
func scatter(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// pick is a number under most that depends on n alone.
func pick(n uint64, most int) int {
	high, _ := bits.Mul64(scatter(n), uint64(most))
	return int(high)
}

// moment is so many milliseconds after 1970.
func moment(milliseconds int) backoffice.Instant { return backoffice.InstantAt(int64(milliseconds)) }

func oneOf[T any](n uint64, of []T) T { return of[pick(n, len(of))] }

// CustomerID is the identifier of customer i.
func (o Office) CustomerID(i int) string { return id(customerNoun, i) }

// User is user i of Users.
func (o Office) User(i int) *backoffice.User {
	first, last := oneOf(uint64(i), firstNames), oneOf(uint64(i)<<8, surnames)
	return &backoffice.User{
		ID: id(userNoun, i), FirstName: first, LastName: last, Language: "dutch", Version: 1,
		Email: fmt.Sprintf("%s.%s.%d@office.example", strings.ToLower(first), strings.ToLower(strings.ReplaceAll(last, " ", "")), i),
	}
}

// Year is financial year i of Years; the last is current.
func (o Office) Year(i int) *backoffice.FinancialYear {
	text := fmt.Sprint(firstYear + i)
	year := &backoffice.FinancialYear{ID: id(yearNoun, i), StartDate: text, EndDate: text, IsCurrentYear: i == Years-1}
	if !year.IsCurrentYear {
		year.ArchivedAt = moment(start + (i+1)*365*24*3600*1000)
	}
	return year
}

// Checklist is checklist i of Years × ChecklistsPerYear.
func (o Office) Checklist(i int) *backoffice.Checklist {
	year := i / ChecklistsPerYear
	return &backoffice.Checklist{
		ID: id(checklistNoun, i), Name: fmt.Sprintf("%s %d", checklistNames[i%ChecklistsPerYear], firstYear+year),
		Language: oneOf(uint64(i), languages), AuthRequired: i%2 == 0, RemindersEnabled: i%3 == 0, FinancialYearID: id(yearNoun, year),
	}
}

// Customer is customer i.
func (o Office) Customer(i int) *backoffice.Customer {
	n := uint64(i)
	surname := oneOf(n<<8, surnames)
	customer := &backoffice.Customer{
		ID: o.CustomerID(i), Type: backoffice.Company, Version: 1 + i%7,
		CustomerCode: backoffice.Text(fmt.Sprintf("K%07d", i)),
		Address: backoffice.Address{
			Street: backoffice.Text(oneOf(n<<16, streets)), HouseNumber: backoffice.Text(fmt.Sprint(1 + i%240)),
			PostalCode: backoffice.Text(fmt.Sprint(1000 + i%8999)), City: backoffice.Text(oneOf(n<<24, cities)), Country: "BE",
		},
		Language:  backoffice.Text(oneOf(n<<12, languages)),
		Email:     backoffice.Text(fmt.Sprintf("%s.%d@customer.example", strings.ToLower(strings.ReplaceAll(surname, " ", "")), i)),
		Phone:     backoffice.Text(fmt.Sprintf("+32470%06d", i%1_000_000)),
		CreatedAt: moment(start + i*16), UpdatedAt: backoffice.Instant(start + i*16 + pick(n<<4, 1<<37)),
	}
	if i%5 < 3 {
		body := 10_000_000 + i%199_999
		form := oneOf(n<<20, forms)
		customer.OwnName = backoffice.Text(fmt.Sprintf("%s %s %d %s", oneOf(n, trades), surname, i, strings.ToUpper(string(form))))
		customer.CompanyType, customer.KboNumber = form, backoffice.Text(fmt.Sprintf("%08d%02d", body, 97-body%97))
	} else {
		customer.Type = backoffice.PrivatePerson
		customer.FirstName, customer.LastName = backoffice.Text(oneOf(n, firstNames)), backoffice.Text(surname)
		customer.OwnName = customer.FirstName + " " + customer.LastName
	}
	if i%10 != 9 {
		customer.ResponsibleID = id(userNoun, pick(n<<32, Users))
	}
	customer.DisplayName = backoffice.DisplayNameOf(customer)
	return customer
}

// Relation is relation i.
func (o Office) Relation(i int) *backoffice.CustomerRelation {
	busy, rest := o.Busy(), o.Customers-o.Busy()
	customer, round := i%busy, i/busy
	step := pick(uint64(customer)<<40, o.Customers) + round*prime
	related := (customer + 1 + step%(busy-1)) % busy
	kind := backoffice.Director
	if round%10 >= 7 {
		related = busy + step%rest
		kind = backoffice.RelationKinds[round%10-6]
	}
	return &backoffice.CustomerRelation{
		ID: id(relationNoun, i), Kind: kind,
		CustomerID: o.CustomerID(customer), RelatedCustomerID: o.CustomerID(related), CreatedAt: moment(start + i*16), Version: 1,
	}
}

// Transcript is transcript i.
func (o Office) Transcript(i int) *backoffice.Transcript {
	busy, rest := o.Busy(), o.Customers-o.Busy()
	n := uint64(i)
	customer, round := i%busy, i/busy
	if i >= busy*perBusy {
		customer, round = busy+(i-busy*perBusy)%rest, (i-busy*perBusy)/rest
	}
	year := round % Years
	transcript := &backoffice.Transcript{
		ID: id(transcriptNoun, i), OwnStatus: backoffice.ToProcess, OwnUpdatedAt: moment(start + i*16 + pick(n, 1<<36)),
		ProgressPercentage: float64(pick(n<<8, 401)) / 4, CustomerID: o.CustomerID(customer),
		ChecklistID: id(checklistNoun, year*ChecklistsPerYear+pick(n<<16, ChecklistsPerYear)), FinancialYearID: id(yearNoun, year),
		CustomVariables: `{"origin":"benchmark"}`,
	}
	if i%3 > 0 {
		transcript.OwnStatus = backoffice.Sent
	}
	transcript.IsCompleted = transcript.ProgressPercentage == 100
	transcript.EffectiveStatus(nil)
	return transcript
}
