package backoffice

import "context"

// LabelDraft is what a caller sends to make a label.
type LabelDraft struct {
	Name  string
	Color Optional[string]
}

// CreateLabel makes a label; it needs settings.write. Refused also with TAKEN (name) and, for a key that was used before,
// as create says.
func (s *Service) CreateLabel(ctx context.Context, by *Principal, draft LabelDraft, key Optional[string]) (*Label, error) {
	if err := require(by, SettingsWrite); err != nil {
		return nil, err
	}
	l := &Label{ID: NewID(), Name: draft.Name, CreatedAt: InstantOf(s.now())}
	var check checker
	assign(&check, &l.Color, draft.Color, "color")
	check.found = append(check.found, CheckLabel(l)...)
	content := values{}
	content.set("name", l.Name)
	content.set("color", string(l.Color))
	call := creation{by: by, action: "createLabel", noun: NounLabel, id: l.ID, key: key, content: content, wrong: &check}
	made := l
	err := s.create(ctx, call, nil, func(ctx context.Context, tx Tx, check *checker) error {
		if err := check.refusal(); err != nil {
			return err
		}
		made = l
		return tx.Labels().Insert(ctx, l)
	}, func(ctx context.Context, tx Tx, id string) (found bool, err error) {
		made, found, err = find(ctx, tx.Labels(), id)
		return found, err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}
