package backoffice

import (
	"slices"
)

// CalculationState is how far a calculation has come.
type CalculationState string

// CalculationStates lists every state: each is also a TranscriptStatus of the same name and label.
var CalculationStates = []CalculationState{
	CalculationState(ToProcess), CalculationState(InCalculation), CalculationState(CalculationDone), CalculationState(CalculationSent),
	CalculationState(Locked), CalculationState(Unlocked), CalculationState(Approved), CalculationState(Rejected),
}

// Label is the specification's word (section 3): "Calculation done".
func (s CalculationState) Label() string { return TranscriptStatus(s).Label() }

// ParseCalculationStateLabel reads the specification's word.
func ParseCalculationStateLabel(label string) (CalculationState, error) {
	for _, state := range CalculationStates {
		if state.Label() == label {
			return state, nil
		}
	}
	return "", Errorf(BadInput, "a calculation's state is one of the labels To Process, In calculation, Calculation done, Calculation sent, Locked, Unlocked, Approved, Rejected")
}

// Calculation is the tax calculation that was started for a transcript; a transcript has at most one.
type Calculation struct {
	ID           string
	State        CalculationState
	UpdatedAt    Instant
	TranscriptID string
	CustomerID   string // the transcript's, kept beside it so that a customer's proposals are found by an index
	Proposal     *File  // the proposal, if there is one
}

// IsNode marks Calculation as a Node of the GraphQL schema.
func (*Calculation) IsNode() {}

// StateLabel is the specification's word for the state.
func (c *Calculation) StateLabel() string { return c.State.Label() }

// Identity makes Calculation an Entity.
func (c *Calculation) Identity() string { return c.ID }

// Position tells where the calculation stands in a list of that order.
func (c *Calculation) Position(key OrderKey) Position {
	p := Position{Key: key, ID: c.ID}
	if key == KeyUpdatedAt {
		p.Number = float64(c.UpdatedAt)
	}
	return p
}

// CalculationCriteria picks among calculations; zero fields are no criterion.
type CalculationCriteria struct {
	HasProposal bool
}

// CheckCalculation holds a calculation to the rules that need no other record: a state and a transcript. It returns all
// that is wrong.
func CheckCalculation(c *Calculation) []*UserError {
	var check checker
	if c.State == "" {
		check.add(CodeRequired, "this field is required", "state")
	} else if !slices.Contains(CalculationStates, c.State) {
		check.add(CodeInvalid, "unknown state of a calculation", "state")
	}
	check.reference(c.TranscriptID, "transcriptId")
	check.instant(c.UpdatedAt, "updatedAt")
	return check.found
}
