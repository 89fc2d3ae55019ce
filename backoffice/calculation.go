package backoffice

type CalculationState string

// CalculationStates lists every state: each is also a TranscriptStatus of the same name and label.
var CalculationStates = []CalculationState{
	CalculationState(ToProcess), CalculationState(InCalculation), CalculationState(CalculationDone),
	CalculationState(CalculationSent), CalculationState(Locked), CalculationState(Unlocked),
	CalculationState(Approved), CalculationState(Rejected),
}

func (s CalculationState) Label() string { return TranscriptStatus(s).Label() }

func ParseCalculationStateLabel(label string) (CalculationState, error) {
	return labelled(CalculationStates, label, "a calculation's state must be one of To Process, In calculation, Calculation done, Calculation sent, Locked, Unlocked, Approved, Rejected")
}

// Calculation is the tax calculation that was started for a transcript; a transcript has at most one.
type Calculation struct {
	ID           string
	State        CalculationState
	UpdatedAt    Instant
	TranscriptID string
	CustomerID   string // the transcript's, stored here too so that an index finds a customer's proposals
	Proposal     *File  // nil for none
}

func (c *Calculation) StateLabel() string { return c.State.Label() }
func (c *Calculation) Identity() string   { return c.ID }

func (c *Calculation) Position(key OrderKey) Position {
	p := Position{Key: key, ID: c.ID}
	if key == KeyUpdatedAt {
		p.Number = float64(c.UpdatedAt.Milliseconds())
	}
	return p
}

// CalculationFilter picks calculations; nil is no filter.
type CalculationFilter struct {
	CustomerID   *string
	TranscriptID *string
	State        []CalculationState // nil: no filter; empty: matches nothing
	HasProposal  *bool
}

// CalculationCriteria is a CalculationFilter prepared for the store; zero fields are no criterion.
type CalculationCriteria struct {
	Nothing      bool
	CustomerID   string
	TranscriptID string
	State        StatusSet
	HasProposal  Tristate
}

func (f *CalculationFilter) Criteria() (c CalculationCriteria) {
	if f == nil {
		return c
	}
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	exact(&c.TranscriptID, f.TranscriptID, &c.Nothing)
	c.HasProposal = tristate(f.HasProposal)
	statuses(&c.State, f.State, &c.Nothing)
	return c
}

var CalculationTable = &Table[Calculation, CalculationCriteria]{
	nothing: func(c CalculationCriteria) bool { return c.Nothing },
	Noun:    NounCalculation,
	ID:      func(c *Calculation) *string { return &c.ID },
	Fields: []WritableField[Calculation]{
		referenceField("transcriptId", NounTranscript, func(c *Calculation) *string { return &c.TranscriptID }),
		wordField("state", func(c *Calculation) *CalculationState { return &c.State },
			CalculationStates, ParseCalculationStateLabel, "unknown state of a calculation"),
		momentField("updatedAt", func(c *Calculation) *Instant { return &c.UpdatedAt }),
	},
	Unique:   []string{"transcriptId"},
	File:     func(c *Calculation) **File { return &c.Proposal },
	FileKind: CalculationFile,
}
