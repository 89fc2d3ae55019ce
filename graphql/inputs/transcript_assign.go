package inputs

import "example.org/backoffice/backoffice"

type AssignChecklistsInput struct {
	ChecklistID     string
	CustomerIds     []string
	Filter          *backoffice.CustomerFilter
	CustomVariables *Object // as sent, so that a fault in it becomes a user error
	IdempotencyKey  *string
}

type AssignChecklistsPayload struct {
	Assigned        int
	AlreadyAssigned int
	Made            []*backoffice.Transcript // by identifier
	Outcome
}

func (in *AssignChecklistsInput) Draft() backoffice.Assignments {
	draft := backoffice.Assignments{ChecklistID: in.ChecklistID, CustomerIDs: in.CustomerIds, Filter: in.Filter}
	if in.CustomVariables != nil {
		draft.CustomVariables = []byte(*in.CustomVariables)
	}
	return draft
}

// ChecklistsAssigned is the payload of an assignment, nil when it was rejected.
func ChecklistsAssigned(done *backoffice.Assigned) *AssignChecklistsPayload {
	if done == nil {
		return &AssignChecklistsPayload{}
	}
	return &AssignChecklistsPayload{Assigned: done.Count, AlreadyAssigned: done.Already, Made: done.Transcripts}
}
