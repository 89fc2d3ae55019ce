package backoffice

// RelationKind is what the related customer is to the customer.
type RelationKind string

const (
	Director      RelationKind = "DIRECTOR"
	UBO           RelationKind = "UBO" // ultimate beneficial owner
	Shareholder   RelationKind = "SHAREHOLDER"
	ContactPerson RelationKind = "CONTACT_PERSON"
)

// RelationKinds are in the specification's order.
var RelationKinds = []RelationKind{Director, UBO, Shareholder, ContactPerson}

func (k RelationKind) Label() string {
	return map[RelationKind]string{
		Director: "director", UBO: "UBO", Shareholder: "shareholder", ContactPerson: "contact person",
	}[k]
}

func ParseRelationKindLabel(label string) (RelationKind, error) {
	return labelled(RelationKinds, label, "a relation's kind must be director, UBO, shareholder or contact person")
}

type RelationDirection string

const (
	Outgoing RelationDirection = "OUTGOING" // seen from its customer
	Incoming RelationDirection = "INCOMING" // seen from its related customer
)

// CustomerRelation makes RelatedCustomerID the director, UBO, shareholder or contact person of CustomerID. The triple
// (customer, related customer, kind) is unique on each day, and the two customers differ.
type CustomerRelation struct {
	ID                string
	Kind              RelationKind
	CustomerID        string
	RelatedCustomerID string
	SharePercent      Text // of CustomerID, a decimal with at most four places
	VotePercent       Text
	StartDate         Text // the first day, 2026-03-31
	EndDate           Text // the last day
	Note              Text
	Nominee           bool // RelatedCustomerID holds for someone else
	CreatedAt         Instant
	Version           int // increases with every change
}

// Share is SharePercent as a number, nil for unknown.
func (r *CustomerRelation) Share() *float64 { return number(r.SharePercent) }

// Vote is VotePercent as a number, nil for unknown.
func (r *CustomerRelation) Vote() *float64 { return number(r.VotePercent) }

func (r *CustomerRelation) Identity() string               { return r.ID }
func (r *CustomerRelation) Position(key OrderKey) Position { return Position{Key: key, ID: r.ID} }

// CustomerRelationFilter picks relations; nil is no filter.
type CustomerRelationFilter struct {
	CustomerID        *string
	RelatedCustomerID *string
	Kind              *RelationKind
}

// RelationCriteria is a CustomerRelationFilter prepared for the store; zero fields are no criterion.
type RelationCriteria struct {
	Nothing           bool
	CustomerID        string
	RelatedCustomerID string
	Kind              RelationKind
	Direction         RelationDirection // only in a customer's list
	AsOf              string            // a day on which they are in force
}

func (f *CustomerRelationFilter) Criteria() (c RelationCriteria) {
	if f == nil {
		return c
	}
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	exact(&c.RelatedCustomerID, f.RelatedCustomerID, &c.Nothing)
	c.Kind = wanted(f.Kind)
	return c
}

// CustomerRelationEdge is a relation as seen from the customer whose list it is in.
type CustomerRelationEdge struct {
	*ConnectionEdge[*CustomerRelation]
}

// Direction is as seen from the customer of the list. In the list of all relations it is Outgoing.
func (e *CustomerRelationEdge) Direction() RelationDirection {
	if e.Parent == NoParent || e.Parent == e.Node.CustomerID {
		return Outgoing
	}
	return Incoming
}

func (e *CustomerRelationEdge) OtherID() string {
	if e.Direction() == Outgoing {
		return e.Node.RelatedCustomerID
	}
	return e.Node.CustomerID
}

type CustomerRelationConnection struct {
	*Connection[*CustomerRelation, RelationCriteria]
}

func (c *CustomerRelationConnection) Edges() []*CustomerRelationEdge {
	return Map(c.Connection.Edges(), func(edge *ConnectionEdge[*CustomerRelation]) *CustomerRelationEdge {
		return &CustomerRelationEdge{edge}
	})
}

var RelationTable = &Table[CustomerRelation, RelationCriteria]{
	nothing: func(c RelationCriteria) bool { return c.Nothing },
	Noun:    NounRelation,
	ID:      func(r *CustomerRelation) *string { return &r.ID },
	Version: func(r *CustomerRelation) *int { return &r.Version },
	Fields: []WritableField[CustomerRelation]{
		wordField("kind", func(r *CustomerRelation) *RelationKind { return &r.Kind },
			RelationKinds, ParseRelationKindLabel,
			"a relation's kind must be director, UBO, shareholder or contact person"),
		referenceField("customerId", NounCustomer, func(r *CustomerRelation) *string { return &r.CustomerID }),
		referenceField("relatedCustomerId", NounCustomer,
			func(r *CustomerRelation) *string { return &r.RelatedCustomerID }),
		textField("sharePercent", func(r *CustomerRelation) *Text { return &r.SharePercent }, ParsePercent),
		textField("votePercent", func(r *CustomerRelation) *Text { return &r.VotePercent }, ParsePercent),
		textField("startDate", func(r *CustomerRelation) *Text { return &r.StartDate }, parseDate),
		textField("endDate", func(r *CustomerRelation) *Text { return &r.EndDate }, parseDate),
		textField("note", func(r *CustomerRelation) *Text { return &r.Note }, plainText),
		notedField("nominee", func(r *CustomerRelation) *bool { return &r.Nominee }),
		madeField("createdAt", func(r *CustomerRelation) *Instant { return &r.CreatedAt }),
	},
	Unique: []string{"relatedCustomerId", "customerId", "kind"},
	Period: []string{"startDate", "endDate"},
	rule: func(r *CustomerRelation, check *checker) {
		if r.CustomerID != "" && r.CustomerID == r.RelatedCustomerID {
			check.add(CodeNotAllowed, "a customer cannot have a relation with itself", "relatedCustomerId")
		}
		if r.EndDate != "" && r.EndDate < r.StartDate {
			check.add(CodeInvalid, "the last day is before the first", "endDate")
		}
	},
}
