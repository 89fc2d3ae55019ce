package backoffice

// MinfinDocument is a document synchronised from the tax administration. Only pairs with minfin.read see it.
type MinfinDocument struct {
	ID              string
	Name            string
	DocumentType    string
	CustomerID      string // "" when it is nobody's
	FinancialYearID string // "" when it belongs to no year
	SynchronisedAt  Instant
	File            *File
}

// IsNode marks MinfinDocument as a Node of the GraphQL schema.
func (*MinfinDocument) IsNode() {}

// Identity makes MinfinDocument an Entity.
func (d *MinfinDocument) Identity() string { return d.ID }

// Position tells where the document stands in a list of that order.
func (d *MinfinDocument) Position(key OrderKey) Position { return Position{Key: key, ID: d.ID} }

// MinfinDocumentFilter is what a caller wants of a list of minfin documents; nil is no filter.
type MinfinDocumentFilter struct {
	CustomerID        *string
	FinancialYearID   *string
	DocumentType      *string
	SynchronisedSince *Instant
}

// MinfinCriteria is a MinfinDocumentFilter made ready for the store; zero fields are no criterion.
type MinfinCriteria struct {
	Nothing           bool
	CustomerID        string
	FinancialYearID   string
	DocumentType      string
	SynchronisedSince Instant
}

// Criteria makes the filter ready for the store.
func (f *MinfinDocumentFilter) Criteria() (c MinfinCriteria) {
	if f == nil {
		return c
	}
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	exact(&c.FinancialYearID, f.FinancialYearID, &c.Nothing)
	exact(&c.DocumentType, f.DocumentType, &c.Nothing)
	if f.SynchronisedSince != nil {
		c.SynchronisedSince = *f.SynchronisedSince
	}
	return c
}

// CheckMinfinDocument holds a minfin document to the rules that need no other record: a name, a type and a file. It
// returns all that is wrong.
func CheckMinfinDocument(d *MinfinDocument) []*UserError {
	var check checker
	check.required(d.Name, "name")
	check.required(d.DocumentType, "documentType")
	if d.CustomerID != "" {
		check.reference(d.CustomerID, "customerId")
	}
	if d.FinancialYearID != "" {
		check.reference(d.FinancialYearID, "financialYearId")
	}
	check.instant(d.SynchronisedAt, "synchronisedAt")
	if d.File == nil {
		check.add(CodeRequired, "this field is required", "file")
	}
	return check.found
}
