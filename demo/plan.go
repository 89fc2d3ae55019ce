package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	chunkSize     = 1000 // customers to make and store together
	yearsOfData   = 5
	companyOfTen  = 6 // of ten customers are companies
	firstCustomer = 1
)

// plan depends only on the seed, the size and the day. Every record can be made from it, in any order.
type plan struct {
	seed      uint64
	customers int
	today     time.Time // at midnight, UTC
	labels    []*backoffice.Label
	users     []*backoffice.User
	years     []*backoffice.FinancialYear
	lists     []*backoffice.Checklist
}

func newPlan(seed uint64, customers int, now time.Time) *plan {
	p := &plan{seed: seed, customers: customers, today: now.UTC().Truncate(24 * time.Hour)}
	p.makeYears()
	p.makeLabels()
	p.makeUsers()
	p.makeLists()
	return p
}

// draw is the random source for one thing, always the same.
func (p *plan) draw(what uint64) *rand.Rand { return rand.New(rand.NewPCG(p.seed, what)) }

func customerID(number int) string { return fmt.Sprintf("customer-%07d", number) }

// isCompany needs only the number, so that relations can refer to customers made elsewhere.
func isCompany(number int) bool { return number%10 < companyOfTen }

// ago is an instant in working hours, days before yesterday: those of today may be in the future.
func (p *plan) ago(r *rand.Rand, days int) backoffice.Instant {
	at := p.today.AddDate(0, 0, -days-1).Add(7*time.Hour + time.Duration(r.IntN(11*3600*1000))*time.Millisecond)
	return backoffice.InstantOf(at)
}

func (p *plan) makeYears() {
	current := p.today.Year()
	for year := current - yearsOfData + 1; year <= current; year++ {
		date := strconv.Itoa(year)
		y := &backoffice.FinancialYear{ID: yearID(year), StartDate: date, EndDate: date, IsCurrentYear: year == current}
		if !y.IsCurrentYear {
			archived := time.Date(year+1, time.January, 4, 8, 0, 0, 0, time.UTC)
			y.ArchivedAt = min(backoffice.InstantOf(archived), backoffice.InstantOf(p.today))
		}
		p.years = append(p.years, y)
	}
}

func yearID(year int) string { return fmt.Sprintf("year-%d", year) }

func (p *plan) makeLabels() {
	for i, l := range []struct{ name, color string }{
		{"Audit", "#1e90ff"}, {"Btw", "#2e8b57"}, {"Fiscaliteit", "#b8860b"}, {"Loonadministratie", "#8a2be2"},
		{"Partner", "#dc143c"}, {"Junior", "#20b2aa"}, {"Vennootschappen", "#708090"}, {"Franstalig", ""},
	} {
		p.labels = append(p.labels, &backoffice.Label{
			ID: fmt.Sprintf("label-%02d", i+1), Name: l.name, Color: backoffice.Text(l.color),
			CreatedAt: p.ago(p.draw(uint64(i)<<32|1), 2000-i*100),
		})
	}
}

// makeUsers makes a user for about 60 customers, and 60 at most.
func (p *plan) makeUsers() {
	for i := range min(60, max(5, p.customers/60)) {
		r := p.draw(uint64(i)<<32 | 2)
		at := regionFor(r)
		person := newPerson(r, at)
		u := &backoffice.User{
			ID: fmt.Sprintf("user-%02d", i+1), FirstName: person.first, LastName: person.last, Version: 1,
			Email:    fmt.Sprintf("%s.%s@kantoor.example", mailPart(person.first), mailPart(person.last)),
			Language: backoffice.Text(at.Language),
		}
		if i > 0 {
			u.Email = fmt.Sprintf("%s.%s.%d@kantoor.example", mailPart(person.first), mailPart(person.last), i)
		}
		for _, at := range r.Perm(len(p.labels))[:r.IntN(4)] {
			u.LabelIDs = append(u.LabelIDs, p.labels[at].ID)
		}
		p.users = append(p.users, u)
	}
}

// Subjects of checklists, by language.
var subjects = []map[string]string{
	{"dutch": "Personenbelasting", "french": "Impôt des personnes physiques",
		"german": "Steuer der natürlichen Personen", "english": "Personal income tax"},
	{"dutch": "Vennootschapsbelasting", "french": "Impôt des sociétés",
		"german": "Gesellschaftssteuer", "english": "Corporate income tax"},
	{"dutch": "Jaarrekening", "french": "Comptes annuels", "german": "Jahresabschluss", "english": "Annual accounts"},
}

const (
	personalTax = iota
	corporateTax
	annualAccounts
)

var languages = []string{"dutch", "french", "german", "english"}

func listID(year, subject int, language string) string {
	return fmt.Sprintf("checklist-%d-%d-%s", year, subject+1, language)
}

func (p *plan) makeLists() {
	for _, y := range p.years {
		year, _ := strconv.Atoi(y.StartDate) // we wrote it
		for subject, names := range subjects {
			for _, language := range languages {
				p.lists = append(p.lists, &backoffice.Checklist{
					ID: listID(year, subject, language), Name: names[language] + " " + y.StartDate, Language: language,
					AuthRequired: subject != annualAccounts, RemindersEnabled: (year+subject)%3 != 0,
					DueDate: backoffice.Text(y.StartDate + "-06-30"), FinancialYearID: y.ID,
				})
			}
		}
	}
}
