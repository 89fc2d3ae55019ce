package backoffice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// SupervisionYear is what an office controlled in a calendar year, in numbers. It names no customer.
type SupervisionYear struct {
	Year          int
	At            Instant               // when it was counted
	Customers     []SupervisedCustomers // by risk, none last, then in the order of ReviewStates
	Reviews       ReviewCounts
	Discrepancies DiscrepancyCounts
	Consultations []PurposeCount // the most frequent purposes, at most MostPurposes
	OtherPurposes int            // how many consultations are for others
}

// SupervisedCustomers counts the customers of a risk, "" for none, whose reviews have a state.
type SupervisedCustomers struct {
	Risk  string
	State ReviewState
	Count int
}

// ReviewState is what became of a customer's reviews of a year.
type ReviewState string

const (
	NoReviews      ReviewState = "NONE" // the year has none
	ReviewsDone    ReviewState = "DONE" // all of them
	ReviewsDue     ReviewState = "DUE"  // some are not done, and none of these is overdue
	ReviewsOverdue ReviewState = "OVERDUE"
)

// ReviewStates are in the order in which they are shown.
var ReviewStates = []ReviewState{NoReviews, ReviewsDone, ReviewsDue, ReviewsOverdue}

// ReviewCounts counts the reviews of a year: the transcripts of checklists that are due in it, and of checklists
// without a due date if their financial year ends in it.
type ReviewCounts struct {
	Due     int // all of them
	Done    int // completed
	Late    int // of those done: after the day on which they were due
	Overdue int // not done, though they were due before today
}

// DiscrepancyCounts counts what happened to discrepancies in a year.
type DiscrepancyCounts struct {
	Opened, Closed, Reported int
	Open                     int         // of all years, now
	ToClose, ToReport        *Turnaround // of those closed, or reported, in the year; nil for none
}

type PurposeCount struct {
	Purpose string // "" for none
	Count   int
}

const (
	MostPurposes = 100
	mostRisks    = 20 // different values of a variable; one with more, or longer ones, is no risk
	longestRisk  = 40 // characters
)

// SupervisionStore is what ReportSupervision reads.
type SupervisionStore interface {
	Readers
	ConsultationStore
}

// ReportSupervision counts what the caller of the context sees of a year, and the customers that were created by its
// end or have a review in it. A customer's risk is the custom variable of this name in the transcript that was
// completed last until then. It reads all customers, all transcripts and the whole register. Errors: BadInput for a
// variable that is no risk, having too many values.
func ReportSupervision(
	ctx context.Context, store SupervisionStore, year int, variable string, at Instant) (SupervisionYear, error) {
	first := fmt.Sprintf("%04d-01-01", year)
	s := &supervision{
		year: first[:4], today: Today(at.Time()), variable: variable, customers: map[string]*supervised{},
		span: Span{HasFrom: true, From: StartOfDay(first, 0), HasTo: true,
			To: InstantOf(time.Date(year+1, 1, 1, 0, 0, 0, 0, Belgium))},
	}
	s.of.Year, s.of.At = year, at
	for _, count := range []func(context.Context, SupervisionStore) error{
		s.countReviews, s.countCustomers, s.countDiscrepancies, s.countConsultations,
	} {
		if err := count(ctx, store); err != nil {
			return SupervisionYear{}, err
		}
	}
	return s.of, nil
}

type supervision struct {
	of          SupervisionYear
	year, today string
	span        Span // the year
	variable    string
	customers   map[string]*supervised
}

// supervised is a customer who has a transcript.
type supervised struct {
	state      int // in ReviewStates
	risk       string
	assessedAt Instant // when the transcript with the risk was completed, or its financial year ended
}

func (s *supervision) countReviews(ctx context.Context, store SupervisionStore) error {
	ends, due := map[string]string{}, map[string]string{}
	err := cmp.Or(
		eachRow(ctx, store.FinancialYears(), ListQuery[FinancialYearCriteria]{}, NoParent, 0,
			func(y *FinancialYear) error { ends[y.ID] = y.EndDate; return nil }),
		eachRow(ctx, store.Checklists(), ListQuery[ChecklistCriteria]{}, NoParent, 0,
			func(c *Checklist) error { due[c.ID] = string(c.DueDate); return nil }))
	if err != nil {
		return err
	}
	transcripts := store.Transcripts()
	want := transcripts.Columns([]string{
		"customer", "checklist", "financialYear", "isCompleted", "completedAt", "customVariables"})
	return eachRow(ctx, transcripts, ListQuery[TranscriptCriteria]{}, NoParent, want, func(t *Transcript) error {
		of := s.customers[t.CustomerID]
		if of == nil {
			of = &supervised{}
			s.customers[t.CustomerID] = of
		}
		if day := due[t.ChecklistID]; strings.HasPrefix(cmp.Or(day, ends[t.FinancialYearID]), s.year) {
			of.state = max(of.state, slices.Index(ReviewStates, s.of.Reviews.add(t, day, s.today)))
		}
		return s.assess(of, t, cmp.Or(t.CompletedAt, StartOfDay(ends[t.FinancialYearID]+"-12-31", 0)))
	})
}

// add counts a review that is due on a day, "" for none.
func (c *ReviewCounts) add(t *Transcript, due, today string) ReviewState {
	c.Due++
	switch {
	case t.IsCompleted:
		c.Done++
		if due != "" && !t.CompletedAt.IsZero() && Today(t.CompletedAt.Time()) > due {
			c.Late++
		}
		return ReviewsDone
	case due != "" && due < today:
		c.Overdue++
		return ReviewsOverdue
	}
	return ReviewsDue
}

// assess takes the risk of a customer from a transcript, unless one that was completed later has it.
func (s *supervision) assess(of *supervised, t *Transcript, completed Instant) error {
	text := string(t.CustomVariables)
	if !t.IsCompleted || completed >= s.span.To || of.risk != "" && completed < of.assessedAt ||
		!strings.Contains(text, s.variable) && !strings.Contains(text, `\`) {
		return nil
	}
	var variables map[string]any
	if json.Unmarshal([]byte(text), &variables) != nil {
		return nil
	}
	risk := ""
	switch value := variables[s.variable].(type) {
	case string:
		risk = strings.ToLower(strings.TrimSpace(value))
	case bool, float64:
		risk = fmt.Sprint(value)
	}
	if risk != "" {
		of.risk, of.assessedAt = MaskDigits(risk), completed
	}
	return nil
}

var errNoRisk = Errorf(BadInput,
	"the variable is no risk: it has more than %d different values, or one of more than %d characters", mostRisks, longestRisk)

func (s *supervision) countCustomers(ctx context.Context, store SupervisionStore) error {
	customers, counts := store.CustomersWithoutNumbers(), map[supervised]int{}
	want := customers.Columns([]string{"createdAt"})
	err := eachRow(ctx, customers, ListQuery[CustomerCriteria]{}, NoParent, want, func(c *Customer) error {
		of := cmp.Or(s.customers[c.ID], &supervised{})
		if c.CreatedAt < s.span.To || of.state > 0 || of.risk != "" { // one may have been imported later
			counts[supervised{state: of.state, risk: of.risk}]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	risks := map[string]bool{"": true}
	for of, n := range counts {
		if utf8.RuneCountInString(of.risk) > longestRisk {
			return errNoRisk
		}
		if risks[of.risk] = true; n > 0 {
			s.of.Customers = append(s.of.Customers, SupervisedCustomers{of.risk, ReviewStates[of.state], n})
		}
	}
	slices.SortFunc(s.of.Customers, func(a, b SupervisedCustomers) int {
		if a.Risk == "" || b.Risk == "" { // none last
			a.Risk, b.Risk = b.Risk, a.Risk
		}
		return cmp.Or(strings.Compare(a.Risk, b.Risk),
			cmp.Compare(slices.Index(ReviewStates, a.State), slices.Index(ReviewStates, b.State)))
	})
	if len(risks) > mostRisks+1 {
		return errNoRisk
	}
	return nil
}

func (s *supervision) countDiscrepancies(ctx context.Context, store SupervisionStore) error {
	of := &s.of.Discrepancies
	var toClose, toReport []int64
	err := eachRow(ctx, store.Discrepancies(), ListQuery[DiscrepancyCriteria]{}, NoParent, 0, func(d *Discrepancy) error {
		if s.span.Holds(d.SeenAt) {
			of.Opened++
		}
		if d.ClosedAt.IsZero() {
			of.Open++
		}
		if s.span.Holds(d.ClosedAt) {
			toClose = append(toClose, max(0, d.ClosedAt.Milliseconds()-d.SeenAt.Milliseconds()))
		}
		if s.span.Holds(d.ReportedAt) {
			toReport = append(toReport, max(0, d.ReportedAt.Milliseconds()-d.SeenAt.Milliseconds()))
		}
		return nil
	})
	of.Closed, of.Reported = len(toClose), len(toReport)
	of.ToClose, of.ToReport = medianOf(toClose), medianOf(toReport)
	return err
}

// medianOf measures times in milliseconds, nil for none.
func medianOf(times []int64) *Turnaround {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	return &Turnaround{Count: len(times), Middle: times[(len(times)-1)/2]}
}

func (s *supervision) countConsultations(ctx context.Context, store SupervisionStore) error {
	counts := map[string]int{}
	err := EachEntry(ctx, store, s.span, func(e *Consultation) error {
		if e.Operation != RegisterRestored {
			counts[wanted(e.Purpose)]++
		}
		return nil
	})
	for purpose, n := range counts {
		s.of.Consultations = append(s.of.Consultations, PurposeCount{purpose, n})
	}
	slices.SortFunc(s.of.Consultations, func(a, b PurposeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Purpose, b.Purpose))
	})
	if len(s.of.Consultations) > MostPurposes {
		for _, other := range s.of.Consultations[MostPurposes:] {
			s.of.OtherPurposes += other.Count
		}
		s.of.Consultations = s.of.Consultations[:MostPurposes]
	}
	return err
}
