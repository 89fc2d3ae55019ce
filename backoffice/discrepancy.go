package backoffice

// DiscrepancyKind is on what the declared and the computed owners of a company disagree.
type DiscrepancyKind string

const (
	NotComputed     DiscrepancyKind = "NOT_COMPUTED" // declared as UBO, and not a beneficial owner by the rule
	NotDeclared     DiscrepancyKind = "NOT_DECLARED" // a beneficial owner by the rule, and not declared
	OtherPercentage DiscrepancyKind = "PERCENTAGE"   // both, but with another share
)

// DiscrepancyKinds are in the order in which they are shown.
var DiscrepancyKinds = []DiscrepancyKind{NotComputed, NotDeclared, OtherPercentage}

// Discrepancy records that the UBO relations of a company differ from its computed beneficial owners: from when that
// was seen until it was closed. Differences that what nobody recorded can explain are not kept. It follows from
// records of the whole office, so restricted credentials see none.
type Discrepancy struct {
	ID              string
	Kind            DiscrepancyKind
	CustomerID      string // the company
	PersonID        string // who may have been deleted since
	DeclaredPercent Text   // of the UBO relation, a decimal with at most four places
	ComputedPercent Text
	SeenAt          Instant
	ClosedAt        Instant // zero while it is open
	ReportedAt      Instant // to the UBO register; zero for not yet
	Note            Text
	Version         int // increases with every change
}

// Declared is DeclaredPercent as a number, nil for unknown.
func (d *Discrepancy) Declared() *float64 { return number(d.DeclaredPercent) }

// Computed is ComputedPercent as a number.
func (d *Discrepancy) Computed() *float64 { return number(d.ComputedPercent) }

func (d *Discrepancy) Identity() string               { return d.ID }
func (d *Discrepancy) Position(key OrderKey) Position { return Position{Key: key, ID: d.ID} }

// DiscrepancyFilter picks discrepancies; nil is no filter.
type DiscrepancyFilter struct {
	CustomerID *string
	Kind       *DiscrepancyKind
	Open       *bool
	Reported   *bool
}

// DiscrepancyCriteria is a DiscrepancyFilter prepared for the store; zero fields are no criterion.
type DiscrepancyCriteria struct {
	Nothing    bool
	CustomerID string
	Kind       DiscrepancyKind
	Open       Tristate
	Reported   Tristate
}

func (f *DiscrepancyFilter) Criteria() (c DiscrepancyCriteria) {
	if f == nil {
		return c
	}
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	c.Kind, c.Open, c.Reported = wanted(f.Kind), tristate(f.Open), tristate(f.Reported)
	return c
}

var DiscrepancyTable = &Table[Discrepancy, DiscrepancyCriteria]{
	nothing: func(c DiscrepancyCriteria) bool { return c.Nothing },
	Noun:    NounDiscrepancy, WholeOffice: true,
	ID:      func(d *Discrepancy) *string { return &d.ID },
	Version: func(d *Discrepancy) *int { return &d.Version },
	Fields: []WritableField[Discrepancy]{
		wordField("kind", func(d *Discrepancy) *DiscrepancyKind { return &d.Kind }, DiscrepancyKinds, nil,
			"a discrepancy's kind must be NOT_COMPUTED, NOT_DECLARED or PERCENTAGE"),
		referenceField("customerId", NounCustomer, func(d *Discrepancy) *string { return &d.CustomerID }),
		referenceField("personId", "", func(d *Discrepancy) *string { return &d.PersonID }),
		textField("declaredPercent", func(d *Discrepancy) *Text { return &d.DeclaredPercent }, ParsePercent),
		textField("computedPercent", func(d *Discrepancy) *Text { return &d.ComputedPercent }, ParsePercent),
		momentField("seenAt", func(d *Discrepancy) *Instant { return &d.SeenAt }),
		notedField("closedAt", func(d *Discrepancy) *Instant { return &d.ClosedAt }),
		notedField("reportedAt", func(d *Discrepancy) *Instant { return &d.ReportedAt }),
		textField("note", func(d *Discrepancy) *Text { return &d.Note }, plainText),
	},
	rule: func(d *Discrepancy, check *checker) {
		if d.CustomerID != "" && d.CustomerID == d.PersonID {
			check.add(CodeNotAllowed, "a company cannot own itself", "personId")
		}
	},
}

type (
	DiscrepancyConnection = Connection[*Discrepancy, DiscrepancyCriteria]
	DiscrepancyEdge       = ConnectionEdge[*Discrepancy]
)
