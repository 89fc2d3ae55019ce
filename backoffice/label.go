package backoffice

// Label is a setting that marks users.
type Label struct {
	ID        string
	Name      string // unique
	Color     Text   // #rrggbb
	CreatedAt Instant
}

func (l *Label) Identity() string               { return l.ID }
func (l *Label) Position(key OrderKey) Position { return positionByName(key, l.ID, l.Name) }

type LabelCriteria struct{}

var LabelTable = &Table[Label, LabelCriteria]{
	Noun: NounLabel,
	ID:   func(l *Label) *string { return &l.ID },
	Fields: []WritableField[Label]{
		requiredField("name", func(l *Label) *string { return &l.Name }, plainText),
		textField("color", func(l *Label) *Text { return &l.Color }, ParseColor),
		madeField("createdAt", func(l *Label) *Instant { return &l.CreatedAt }),
	},
	Unique: []string{"name"},
}
