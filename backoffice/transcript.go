package backoffice

import (
	"math"
	"slices"
	"strconv"
)

// TranscriptStatus is a transcript's own status, or the state of its calculation once one was started.
type TranscriptStatus string

const (
	ToProcess       TranscriptStatus = "TO_PROCESS"
	Sent            TranscriptStatus = "SENT"
	InCalculation   TranscriptStatus = "IN_CALCULATION"
	CalculationDone TranscriptStatus = "CALCULATION_DONE"
	CalculationSent TranscriptStatus = "CALCULATION_SENT"
	Locked          TranscriptStatus = "LOCKED"
	Unlocked        TranscriptStatus = "UNLOCKED"
	Approved        TranscriptStatus = "APPROVED"
	Rejected        TranscriptStatus = "REJECTED"
)

// TranscriptStatuses is in the order of the schema's enum.
var TranscriptStatuses = []TranscriptStatus{
	ToProcess, Sent, InCalculation, CalculationDone, CalculationSent, Locked, Unlocked, Approved, Rejected,
}

var statusLabels = map[TranscriptStatus]string{
	ToProcess: "To Process", Sent: "Sent", InCalculation: "In calculation", CalculationDone: "Calculation done",
	CalculationSent: "Calculation sent", Locked: "Locked", Unlocked: "Unlocked", Approved: "Approved",
	Rejected: "Rejected",
}

// Label is the specification's word (section 3): "Calculation done".
func (s TranscriptStatus) Label() string { return statusLabels[s] }

func ParseTranscriptStatusLabel(label string) (TranscriptStatus, error) {
	return labelled(TranscriptStatuses, label, "a status must be one of To Process, Sent, In calculation, Calculation done, Calculation sent, Locked, Unlocked, Approved, Rejected")
}

// Transcript is the filled-in result of a checklist for a customer, in the checklist's financial year.
//
// The store derives Status and UpdatedAt with EffectiveStatus, so that an index can filter and order by them.
type Transcript struct {
	ID                 string
	OwnStatus          TranscriptStatus // To Process or Sent
	OwnUpdatedAt       Instant
	Status             TranscriptStatus // the calculation's state once one was started, else OwnStatus
	UpdatedAt          Instant          // the latest of OwnUpdatedAt, the calculation's, and its last deletion
	IsCompleted        bool
	ProgressPercentage float64 // 0 to 100
	DocumentGenerated  bool
	CustomVariables    JSON
	CustomerID         string
	ChecklistID        string
	FinancialYearID    string
	Document           *File // the generated document, if it was stored
	// Zero when unknown or not so: see Happened.
	CreatedAt           Instant
	CompletedAt         Instant // the last time
	DocumentGeneratedAt Instant // of the current document
	SentAt              Instant // when OwnStatus became Sent
}

func (t *Transcript) StatusLabel() string { return t.Status.Label() }

// File is the generated document, nil unless the transcript is completed and documentGenerated.
func (t *Transcript) File() *File {
	if t.IsCompleted && t.DocumentGenerated {
		return t.Document
	}
	return nil
}

// EffectiveStatus sets Status and UpdatedAt from the transcript's calculation (nil: none was started).
func (t *Transcript) EffectiveStatus(c *Calculation) {
	t.Status, t.UpdatedAt = t.OwnStatus, t.OwnUpdatedAt
	if c != nil {
		t.Status, t.UpdatedAt = TranscriptStatus(c.State), max(t.OwnUpdatedAt, c.UpdatedAt)
	}
}

func (t *Transcript) Identity() string { return t.ID }

func (t *Transcript) Position(key OrderKey) Position {
	p := Position{Key: key, ID: t.ID}
	switch key {
	case KeyUpdatedAt:
		p.Number = float64(t.UpdatedAt.Milliseconds())
	case KeyProgress:
		p.Number = t.ProgressPercentage
	}
	return p
}

// StatusSet is a set of statuses, one bit each in the order of TranscriptStatuses.
type StatusSet uint16

// statuses adds statuses, or states of calculations with the same names, to a criterion. Without any of them nothing
// matches; nil is no criterion.
func statuses[S ~string](into *StatusSet, wanted []S, nothing *bool) {
	for i, status := range TranscriptStatuses {
		if slices.Contains(wanted, S(status)) {
			*into |= 1 << i
		}
	}
	*nothing = *nothing || wanted != nil && *into == 0
}

func (s StatusSet) List() []TranscriptStatus {
	var list []TranscriptStatus
	for i, status := range TranscriptStatuses {
		if s&(1<<i) != 0 {
			list = append(list, status)
		}
	}
	return list
}

// Tristate is a criterion on a boolean column.
type Tristate uint8

const (
	Either Tristate = iota
	Yes
	No
)

func tristate(wanted *bool) Tristate {
	switch {
	case wanted == nil:
		return Either
	case *wanted:
		return Yes
	}
	return No
}

type TranscriptStatusCount struct {
	Status TranscriptStatus
	Count  int
}

// OwnStatuses are the statuses of a transcript without a calculation.
var OwnStatuses = []TranscriptStatus{ToProcess, Sent}

// TranscriptTable describes transcripts without what their calculations change.
var TranscriptTable = &Table[Transcript, TranscriptCriteria]{
	nothing: func(c TranscriptCriteria) bool { return c.Nothing },
	Noun:    NounTranscript,
	ID:      func(t *Transcript) *string { return &t.ID },
	Fields: []WritableField[Transcript]{
		wordField("status", func(t *Transcript) *TranscriptStatus { return &t.OwnStatus },
			OwnStatuses, ParseTranscriptStatusLabel,
			"a transcript's own status must be To Process or Sent"),
		plainField("isCompleted", func(t *Transcript) *bool { return &t.IsCompleted }, nil),
		referenceField("customerId", NounCustomer, func(t *Transcript) *string { return &t.CustomerID }),
		referenceField("checklistId", NounChecklist, func(t *Transcript) *string { return &t.ChecklistID }),
		referenceField("financialYearId", NounFinancialYear, func(t *Transcript) *string { return &t.FinancialYearID }),
		plainField("customVariables", func(t *Transcript) *JSON { return &t.CustomVariables }, checkVariables),
		plainField("documentGenerated", func(t *Transcript) *bool { return &t.DocumentGenerated }, nil),
		plainField("progressPercentage", func(t *Transcript) *float64 { return &t.ProgressPercentage }, checkProgress),
		momentField("updatedAt", func(t *Transcript) *Instant { return &t.OwnUpdatedAt }),
		notedField("createdAt", func(t *Transcript) *Instant { return &t.CreatedAt }),
		notedField("completedAt", func(t *Transcript) *Instant { return &t.CompletedAt }),
		notedField("documentGeneratedAt", func(t *Transcript) *Instant { return &t.DocumentGeneratedAt }),
		notedField("sentAt", func(t *Transcript) *Instant { return &t.SentAt }),
	},
	File:     func(t *Transcript) **File { return &t.Document },
	FileKind: TranscriptFile,
	rule:     func(t *Transcript, _ *checker) { t.dropMoments() },
}

func checkProgress(t *Transcript, check *checker) {
	if math.IsNaN(t.ProgressPercentage) || t.ProgressPercentage < 0 || t.ProgressPercentage > 100 {
		check.add(CodeInvalid, "a progress must be 0 to 100 percent", "progressPercentage")
	}
}

func checkVariables(t *Transcript, check *checker) {
	if len(t.CustomVariables) > MaxJSON {
		check.add(CodeInvalid, "custom variables have at most "+strconv.Itoa(MaxJSON)+" bytes", "customVariables")
	}
}

// CountStatuses counts transcripts by status, as StatusCountsOf lists them.
func CountStatuses(transcripts []*Transcript) []TranscriptStatusCount {
	n := map[TranscriptStatus]int{}
	for _, t := range transcripts {
		n[t.Status]++
	}
	return StatusCountsOf(n)
}

// StatusCountsOf are the numbers of transcripts by status, without zeros, in the order of TranscriptStatuses.
func StatusCountsOf(n map[TranscriptStatus]int) (counts []TranscriptStatusCount) {
	for _, status := range TranscriptStatuses {
		if n[status] > 0 {
			counts = append(counts, TranscriptStatusCount{Status: status, Count: n[status]})
		}
	}
	return counts
}
