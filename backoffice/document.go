package backoffice

// CustomerDocument is a document of a customer that does not come from the tax administration.
type CustomerDocument struct {
	ID         string
	Name       string
	CustomerID string
	CreatedAt  Instant
	File       *File
}

func (d *CustomerDocument) Identity() string               { return d.ID }
func (d *CustomerDocument) Position(key OrderKey) Position { return positionByName(key, d.ID, d.Name) }

// CustomerDocumentFilter picks documents; nil is no filter.
type CustomerDocumentFilter struct {
	CustomerID *string
}

// DocumentCriteria is a CustomerDocumentFilter prepared for the store; zero fields are no criterion.
type DocumentCriteria struct {
	Nothing    bool
	CustomerID string
}

func (f *CustomerDocumentFilter) Criteria() (c DocumentCriteria) {
	if f != nil {
		exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	}
	return c
}

var DocumentTable = &Table[CustomerDocument, DocumentCriteria]{
	nothing: func(c DocumentCriteria) bool { return c.Nothing },
	Noun:    NounDocument,
	ID:      func(d *CustomerDocument) *string { return &d.ID },
	Fields: []WritableField[CustomerDocument]{
		requiredField("name", func(d *CustomerDocument) *string { return &d.Name }, plainText),
		referenceField("customerId", NounCustomer, func(d *CustomerDocument) *string { return &d.CustomerID }),
		momentField("createdAt", func(d *CustomerDocument) *Instant { return &d.CreatedAt }),
	},
	File:         func(d *CustomerDocument) **File { return &d.File },
	FileKind:     DocumentFile,
	FileRequired: true,
}
