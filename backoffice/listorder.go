package backoffice

// OrderField names what a list can be ordered by; identifiers break ties. The schema has an enum for each noun.
type OrderField string

var orderKeys = map[OrderField]OrderKey{
	"ID": KeyID, "NAME": KeyName, "CREATED_AT": KeyCreatedAt, "UPDATED_AT": KeyUpdatedAt,
	"PROGRESS_PERCENTAGE": KeyProgress, "RELEVANCE": KeyRelevance, "RELATION_COUNT": KeyRelations,
	"OPEN_TRANSCRIPT_COUNT": KeyOpenTranscripts, "CUSTOMER_NAME": KeyCustomerName,
}

type ListOrder struct {
	Field     OrderField
	Direction OrderDirection
}

type (
	CustomerOrder              = ListOrder
	CustomerOrderField         = OrderField
	TranscriptOrder            = ListOrder
	TranscriptOrderField       = OrderField
	CalculationOrder           = ListOrder
	CalculationOrderField      = OrderField
	UserOrder                  = ListOrder
	UserOrderField             = OrderField
	LabelOrder                 = ListOrder
	LabelOrderField            = OrderField
	ChecklistOrder             = ListOrder
	ChecklistOrderField        = OrderField
	CustomerDocumentOrder      = ListOrder
	CustomerDocumentOrderField = OrderField
)

// Order is the store's order; nil is by identifier.
func (o *ListOrder) Order() Order {
	if o == nil {
		return ByID
	}
	return Order{Key: orderKeys[o.Field], Descending: o.Direction == Descending}
}

// positionByName is a record's position in a list by identifier or name.
func positionByName(key OrderKey, id, name string) Position {
	p := Position{Key: key, ID: id}
	if key == KeyName {
		p.Text = Fold(name)
	}
	return p
}
