package backoffice

// Label is a setting that marks users.
type Label struct {
	ID        string
	Name      string // unique
	Color     Text   // #rrggbb
	CreatedAt Instant
}

// IsNode marks Label as a Node of the GraphQL schema.
func (*Label) IsNode() {}

// Position tells where the label stands in a list of that order.
func (l *Label) Position(key OrderKey) Position { return Position{Key: key, ID: l.ID} }

// LabelCriteria picks among labels: all of them.
type LabelCriteria struct{}
