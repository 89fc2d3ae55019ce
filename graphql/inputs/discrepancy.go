package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

// NoteDiscrepancyInput is the input of noteDiscrepancy: absent keeps, null clears.
type NoteDiscrepancyInput struct {
	ID              string
	ExpectedVersion *int
	ReportedAt      graphql.Omittable[*backoffice.Instant]
	Note            graphql.Omittable[*string]
}

type NoteDiscrepancyPayload struct {
	Discrepancy *backoffice.Discrepancy
	Outcome
}

var noteDiscrepancy = mapping.New[NoteDiscrepancyInput, backoffice.DiscrepancyFields](
	mapping.Except("ID", "ExpectedVersion"))

func (in *NoteDiscrepancyInput) Fields() backoffice.DiscrepancyFields { return noteDiscrepancy.Map(in) }
