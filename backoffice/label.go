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

// Identity makes Label an Entity.
func (l *Label) Identity() string { return l.ID }

// Position tells where the label stands in a list of that order.
func (l *Label) Position(key OrderKey) Position { return positionByName(key, l.ID, l.Name) }

// LabelCriteria picks among labels: all of them.
type LabelCriteria struct{}

// CheckLabel holds a label to its rules: a name, and a colour, which it writes in lower case. It returns all that is wrong.
func CheckLabel(l *Label) []*UserError {
	var check checker
	check.required(l.Name, "name")
	canonical(&check, &l.Color, ParseColor, "color")
	return check.found
}
