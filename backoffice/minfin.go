package backoffice

// MinfinDocument is a document synchronised from the tax administration. Reading it needs minfin.read.
type MinfinDocument struct {
	ID              string
	Name            string
	DocumentType    string
	CustomerID      string // "" for none
	FinancialYearID string // "" for none
	SynchronisedAt  Instant
	File            *File
}

func (d *MinfinDocument) Identity() string               { return d.ID }
func (d *MinfinDocument) Position(key OrderKey) Position { return Position{Key: key, ID: d.ID} }

// MinfinDocumentFilter picks minfin documents; nil is no filter.
type MinfinDocumentFilter struct {
	CustomerID        *string
	FinancialYearID   *string
	DocumentType      *string
	SynchronisedSince *Instant
}

// MinfinCriteria is a MinfinDocumentFilter prepared for the store; zero fields are no criterion.
type MinfinCriteria struct {
	Nothing           bool
	CustomerID        string
	FinancialYearID   string
	DocumentType      string
	SynchronisedSince Instant
}

func (f *MinfinDocumentFilter) Criteria() (c MinfinCriteria) {
	if f == nil {
		return c
	}
	exact(&c.CustomerID, f.CustomerID, &c.Nothing)
	exact(&c.FinancialYearID, f.FinancialYearID, &c.Nothing)
	exact(&c.DocumentType, f.DocumentType, &c.Nothing)
	c.SynchronisedSince = wanted(f.SynchronisedSince)
	return c
}

var MinfinTable = &Table[MinfinDocument, MinfinCriteria]{
	nothing: func(c MinfinCriteria) bool { return c.Nothing },
	Noun:    NounMinfin, requiredScope: MinfinRead,
	ID: func(d *MinfinDocument) *string { return &d.ID },
	Fields: []WritableField[MinfinDocument]{
		requiredField("name", func(d *MinfinDocument) *string { return &d.Name }, plainText),
		requiredField("documentType", func(d *MinfinDocument) *string { return &d.DocumentType }, plainText),
		optionalReference("customerId", NounCustomer, func(d *MinfinDocument) *string { return &d.CustomerID }),
		optionalReference("financialYearId", NounFinancialYear,
			func(d *MinfinDocument) *string { return &d.FinancialYearID }),
		momentField("synchronisedAt", func(d *MinfinDocument) *Instant { return &d.SynchronisedAt }),
	},
	File:         func(d *MinfinDocument) **File { return &d.File },
	FileKind:     MinfinFile,
	FileRequired: true,
}
