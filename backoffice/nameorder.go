package backoffice

// NameOrderField names what a list of records that have a name can be ordered by; identifiers break ties.
type NameOrderField string

const (
	FieldID   NameOrderField = "ID"
	FieldName NameOrderField = "NAME" // case and accents ignored
)

// NameOrder is the order of a list of records that have a name.
type NameOrder struct {
	Field     NameOrderField
	Direction OrderDirection
}

// The orders of the nouns that have no other.
type (
	UserOrder                  = NameOrder
	UserOrderField             = NameOrderField
	LabelOrder                 = NameOrder
	LabelOrderField            = NameOrderField
	ChecklistOrder             = NameOrder
	ChecklistOrderField        = NameOrderField
	CustomerDocumentOrder      = NameOrder
	CustomerDocumentOrderField = NameOrderField
)

// Order gives the order to the store; nil is by identifier.
func (o *NameOrder) Order() Order {
	if o == nil {
		return ByID
	}
	by := map[NameOrderField]OrderKey{FieldName: KeyName}[o.Field]
	return Order{Key: by, Descending: o.Direction == Descending}
}

// positionByName tells where a record stands in a list by identifier or name.
func positionByName(key OrderKey, id, name string) Position {
	p := Position{Key: key, ID: id}
	if key == KeyName {
		p.Text = Fold(name)
	}
	return p
}
