package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"example.org/backoffice/backoffice"
)

type work struct {
	transcripts  []*backoffice.Transcript
	calculations []*backoffice.Calculation
}

// work makes transcripts and calculations: one subject for a person, one or two for a company, in most of its years.
func (p *plan) work(c *backoffice.Customer, number int) work {
	r := p.draw(uint64(number)<<8 | 5)
	var w work
	came := c.CreatedAt.Time().Year()
	for _, y := range p.years {
		year, _ := strconv.Atoi(y.StartDate) // we wrote it
		if year < came || r.IntN(12) == 0 {
			continue
		}
		subjects := []int{personalTax}
		if c.Type == backoffice.Company {
			subjects = []int{corporateTax, annualAccounts}[:1+r.IntN(2)]
		}
		for _, subject := range subjects {
			p.add(r, &w, c, y, year, subject)
		}
	}
	return w
}

func (p *plan) add(r *rand.Rand, w *work, c *backoffice.Customer, y *backoffice.FinancialYear, year, subject int) {
	t := &backoffice.Transcript{
		ID:        fmt.Sprintf("transcript-%s-%d-%d", c.ID[len("customer-"):], year, subject+1),
		OwnStatus: backoffice.ToProcess, CustomerID: c.ID, FinancialYearID: y.ID,
		ChecklistID: listID(year, subject, string(c.Language)),
	}
	w.transcripts = append(w.transcripts, t)
	// Past years are mostly finished; the current one is at any stage.
	days, stage := 0, r.IntN(100)
	if !y.IsCurrentYear {
		days, stage = max(int(p.today.Sub(y.ArchivedAt.Time()).Hours()/24), 0), 60+r.IntN(40)
	}
	t.OwnUpdatedAt = max(p.ago(r, days+1+r.IntN(200)), c.CreatedAt)
	created := t.OwnUpdatedAt - (4+backoffice.Instant(t.OwnUpdatedAt.Milliseconds()/1000)%40)*24*3_600_000 // days
	t.CreatedAt = max(created, c.CreatedAt)
	switch {
	case stage < 20: // just assigned
		t.CreatedAt = t.OwnUpdatedAt
		return
	case stage < 45: // sent, and being filled in
		t.OwnStatus, t.SentAt = backoffice.Sent, t.CreatedAt
		t.ProgressPercentage = float64(r.IntN(995)) / 10
		t.CustomVariables = variables(r, subject, t.ProgressPercentage > 50)
		return
	}
	t.OwnStatus, t.IsCompleted, t.ProgressPercentage = backoffice.Sent, true, 100
	t.SentAt, t.CompletedAt = t.CreatedAt, t.OwnUpdatedAt
	t.CustomVariables = variables(r, subject, true)
	if stage < 55 { // filled in, and not calculated yet
		return
	}
	w.calculations = append(w.calculations, &backoffice.Calculation{
		ID: "calculation-" + t.ID[len("transcript-"):], State: drawState(r, y.IsCurrentYear), TranscriptID: t.ID,
		CustomerID: c.ID, UpdatedAt: max(t.OwnUpdatedAt, p.ago(r, days)),
	})
}

func drawState(r *rand.Rand, current bool) backoffice.CalculationState {
	if current {
		return pick(r, backoffice.CalculationStates)
	}
	switch at := r.IntN(100); {
	case at < 70:
		return backoffice.CalculationState(backoffice.Approved)
	case at < 85:
		return backoffice.CalculationState(backoffice.Locked)
	case at < 93:
		return backoffice.CalculationState(backoffice.CalculationSent)
	}
	return backoffice.CalculationState(backoffice.Rejected)
}

// variables are a customer's answers, without blanks.
func variables(r *rand.Rand, subject int, all bool) backoffice.JSON {
	var text string
	switch subject {
	case personalTax:
		text = fmt.Sprintf(`{"children":%d,"homeOwner":%t`, r.IntN(4), r.IntN(3) > 0)
		if all {
			text += fmt.Sprintf(`,"jointReturn":%t,"pensionSavings":%d,"remarks":null`, r.IntN(2) == 0, 10*r.IntN(100))
		}
	case corporateTax:
		text = fmt.Sprintf(`{"companyCars":%d,"employees":%d`, r.IntN(9), r.IntN(40))
		if all {
			text += fmt.Sprintf(`,"turnover":%d.%02d`, 10_000+r.IntN(5_000_000), r.IntN(100))
		}
	default:
		text = fmt.Sprintf(`{"auditor":%t`, r.IntN(5) == 0)
		if all {
			text += fmt.Sprintf(`,"inventory":{"counted":%t,"value":%d}`, r.IntN(2) == 0, 100*r.IntN(5000))
		}
	}
	return backoffice.JSON(text + "}")
}
