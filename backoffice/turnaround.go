package backoffice

import "math"

// TranscriptMoment is a time of a transcript.
type TranscriptMoment string

const (
	MomentCreated           TranscriptMoment = "CREATED" // when the checklist was assigned
	MomentCompleted         TranscriptMoment = "COMPLETED"
	MomentDocumentGenerated TranscriptMoment = "DOCUMENT_GENERATED"
	MomentSent              TranscriptMoment = "SENT"
)

// TurnaroundBetween asks for the time between two moments; the zero value asks for none.
type TurnaroundBetween struct{ From, To TranscriptMoment }

// Turnaround is the time between two moments of the transcripts for which both are known.
type Turnaround struct {
	Count int
	// In milliseconds. A quartile is the least of them that this part does not exceed, so both engines answer alike.
	Sum, Lower, Middle, Upper int64
}

func (t *Turnaround) MeanDays() float64          { return days(float64(t.Sum) / float64(t.Count)) }
func (t *Turnaround) LowerQuartileDays() float64 { return days(float64(t.Lower)) }
func (t *Turnaround) MedianDays() float64        { return days(float64(t.Middle)) }
func (t *Turnaround) UpperQuartileDays() float64 { return days(float64(t.Upper)) }

// days has nine decimals at most.
func days(milliseconds float64) float64 { return math.Round(milliseconds/86_400_000*1e9) / 1e9 }
