package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Label struct {
	ID        string  `json:"_id" doc:"The identifier."`
	Name      string  `json:"name" doc:"The name, unique among labels."`
	Color     *string `json:"color" doc:"The colour, #rrggbb." example:"#1e90ff"`
	CreatedAt Instant `json:"createdAt" doc:"When the label was created."`
}

type NewLabel struct {
	Name  string           `json:"name" doc:"The name, unique among labels; at most 200 characters."`
	Color Optional[string] `json:"color,omitempty" doc:"The colour, #rrggbb." example:"#1e90ff"`
}

var (
	shownLabel = mapping.New[backoffice.Label, Label]()
	newLabel   = mapping.New[NewLabel, backoffice.LabelDraft]()
)

func (a *API) labels() {
	registerList(a, operation("GET /settings/labels", "listLabels", "List labels",
		"All labels."), "", func(ctx context.Context, in *struct {
		NameOrder
		Paging
	}) (*answered[List[Label]], error) {
		q := question[backoffice.LabelCriteria]{order: in.order()}
		return list(ctx, a.Store.Labels(), q, in.Paging, shownLabel.Map)
	})
	register(a, creation("POST /settings/labels", "createLabel", "Create a label",
		"Creates a label and returns it."), backoffice.SettingsWrite, func(ctx context.Context, in *struct {
		Idempotent
		Body NewLabel
	}) (*answered[Label], error) {
		label, err := a.Service.CreateLabel(ctx, auth.From(ctx), newLabel.Map(&in.Body), in.key())
		if err != nil {
			return nil, err
		}
		return &answered[Label]{shownLabel.Map(label)}, nil
	})
}
