package backoffice

import "context"

type LabelDraft struct {
	Name  string
	Color *string // nil for none
}

var labelInput = inputOf[LabelDraft](LabelTable)

// CreateLabel makes a label; it needs settings.write. Refused also with TAKEN (name) and, for a key that was used
// before, like create.
func (s *Service) CreateLabel(
	ctx context.Context, by *Principal, draft LabelDraft, key Optional[string],
) (*Label, error) {
	if err := require(by, SettingsWrite); err != nil {
		return nil, err
	}
	l := &Label{ID: NewID(), CreatedAt: InstantOf(s.now())}
	wrong := labelInput.fill(&draft, l)
	return create(ctx, s, creation[Label, LabelCriteria]{
		by: by, action: "createLabel", table: LabelTable, made: l, key: key,
		content: labelInput.values(l), wrong: wrong,
		told: func() map[string]any { return labelInput.told(&draft) },
	})
}
