package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// Held is an overview of all that is kept of a customer.
type Held struct {
	CustomerID string        `json:"customer" doc:"The identifier of the customer."`
	At         Instant       `json:"at" doc:"When the overview was made."`
	Records    []HeldRecords `json:"records" nullable:"false" doc:"What there is of each kind."`
	Values     *HeldValues   `json:"values,omitempty" doc:"The records, where values=true asks for them."`
}

type HeldRecords struct {
	Noun          HeldNoun    `json:"noun" doc:"What they are. A relation has the customer on either side."`
	RequiredScope *string     `json:"requiredScope" doc:"The scope that is lacking, so they are not counted."`
	Count         int         `json:"count" doc:"How many there are."`
	Fields        []HeldField `json:"fields" nullable:"false" doc:"The fields that hold something."`
	First         Instant     `json:"first" nullable:"true" doc:"The earliest moment that one holds."`
	Last          Instant     `json:"last" nullable:"true" doc:"The latest moment that one holds."`
	Files         int         `json:"files" doc:"How many have a stored file."`
	Bytes         int         `json:"bytes" doc:"The size of these files."`
}

// HeldNoun is a kind of records that a customer has; a consultation is an entry of the register.
type HeldNoun string

func (HeldNoun) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"customer", "relation", "transcript", "calculation",
		"document", "minfin document", "discrepancy", "consultation"}}
}

type HeldField struct {
	Name   string `json:"name" doc:"The field, as REST names it." example:"addressFields.city"`
	Filled int    `json:"filled" doc:"In how many records it holds something."`
}

type HeldValues struct {
	Customer      Customer           `json:"customer" doc:"The customer."`
	Relations     []Relation         `json:"relations" nullable:"false" doc:"Those on either side."`
	Transcripts   []Transcript       `json:"transcripts" nullable:"false" doc:"The transcripts."`
	Calculations  []Calculation      `json:"calculations" nullable:"false" doc:"The calculations."`
	Documents     []Document         `json:"documents" nullable:"false" doc:"The documents, without files."`
	Minfin        []MinfinDocument   `json:"minfin" nullable:"false" doc:"None without minfin.read."`
	Discrepancies []Discrepancy      `json:"discrepancies" nullable:"false" doc:"Of the company, or about the person."`
	Consultations []HeldConsultation `json:"consultations" nullable:"false" doc:"The register, oldest first."`
}

type HeldConsultation struct {
	At         Instant  `json:"at" doc:"When it was."`
	ClientID   string   `json:"clientId" doc:"The credential, or what stands in its place for a person."`
	ClientName string   `json:"clientName" doc:"Its name at that time."`
	Subject    *string  `json:"subject" doc:"As whom the issuer knows the person; null for a credential."`
	Operation  string   `json:"operation" doc:"READ, SEARCH or EXPORT."`
	Fields     []string `json:"fields" nullable:"false" doc:"Which registration numbers."`
	Purpose    *string  `json:"purpose" doc:"The stated purpose; null for none."`
}

func showConsultation(e *backoffice.Consultation) HeldConsultation {
	return HeldConsultation{At: e.At, ClientID: e.ClientID, ClientName: e.ClientName, Subject: e.Subject,
		Operation: string(e.Operation), Purpose: e.Purpose,
		Fields: backoffice.Map(e.Fields, backoffice.PrivacyField.Input)}
}

func (a *API) held() {
	op := operation("GET /customers/{customerId}/held", "getHeld", "Show what is kept of a customer",
		"How many records there are of the customer, which of their fields hold something, and from when to when: "+
			"no values. With `values=true`, which needs the header x-access-purpose, the records too: the register "+
			"of consultations then has an EXPORT of the customer. "+
			"A credential that sees some customers and years alone is answered by what it sees.")
	op.Metadata = map[string]any{costKey: 100} // it reads a list of each kind
	registerList(a, op, backoffice.PrivacyRead, func(ctx context.Context, in *struct {
		OfCustomer
		Values bool `query:"values" doc:"Answer with the records too."`
	}) (*answered[Held], error) {
		requestOf(ctx).private = true
		if in.Values {
			var err error
			if ctx, err = privacy.AsExport(ctx); err != nil {
				return nil, err
			}
		}
		customer, err := one(ctx, a.customersFor(ctx), backoffice.NounCustomer, in.CustomerID)
		if err != nil {
			return nil, err
		}
		if !in.Values { // rows are counted, and none is answered
			ctx = backoffice.WithBudget(ctx, nil)
		}
		h := &holding{a, ctx, &Held{CustomerID: customer.ID, At: backoffice.InstantOf(time.Now())}, HeldValues{}}
		if in.Values {
			h.all.Values = &h.values
		}
		if err := h.readAll(customer); err != nil {
			return nil, err
		}
		if in.Values && requestOf(ctx).Method() != http.MethodHead {
			if err := h.export(customer); err != nil {
				return nil, err
			}
		}
		return &answered[Held]{*h.all}, nil
	})
}

// holding reads what is kept of a customer.
type holding struct {
	*API
	ctx    context.Context
	all    *Held
	values HeldValues
}

func (h *holding) readAll(customer *backoffice.Customer) error {
	of := h.begin(backoffice.NounCustomer)
	var shown Customer
	showCustomer(&shown, customer)
	of.add(shown, nil)
	for _, field := range backoffice.AllPrivacyFields {
		if !customer.SealedNumber(field).IsZero() { // that is all that is said of a number
			of.fill(field.Input())
		}
	}
	of.end()
	v := &h.values
	byID := backoffice.ByID
	for _, read := range []func() error{
		func() error { return hold(h, backoffice.RelationTable, byID, shownRelation.Map, &v.Relations) },
		func() error { return hold(h, backoffice.TranscriptTable, byID, shownTranscript.Map, &v.Transcripts) },
		func() error { return hold(h, backoffice.CalculationTable, byID, showCalculation, &v.Calculations) },
		func() error { return hold(h, backoffice.DocumentTable, byID, showDocument, &v.Documents) },
		func() error { return hold(h, backoffice.MinfinTable, byID, showMinfin, &v.Minfin) },
		func() error {
			return hold(h, backoffice.DiscrepancyTable, byID, shownDiscrepancy.Map, &v.Discrepancies)
		},
		func() error {
			oldest := backoffice.Order{Key: backoffice.KeyAt}
			return hold(h, backoffice.ConsultationTable, oldest, showConsultation, &v.Consultations)
		},
	} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// hold reads the records of a kind, unless the caller lacks the scope for it.
func hold[T any, C comparable, R any](
	h *holding, table *backoffice.Table[T, C], order backoffice.Order, show func(*T) R, values *[]R) error {
	of := h.begin(table.Noun)
	*values = []R{}
	if scope := table.Noun.RequiredScope(); !auth.From(h.ctx).HasRequired(scope) {
		of.RequiredScope = new(string(scope))
		of.end()
		return nil
	}
	ask := backoffice.ListQuery[C]{Parent: backoffice.OfCustomer, Order: order}
	err := backoffice.EachPage(h.ctx, table.Reader(h.Store), ask, h.all.CustomerID, 0, func(page []*T) error {
		for _, row := range page {
			var file *backoffice.File
			if table.File != nil {
				file = *table.File(row)
			}
			shown := show(row)
			of.add(shown, file)
			if h.all.Values != nil {
				*values = append(*values, shown)
			}
		}
		return nil
	})
	of.end()
	return err
}

// export adds the records. The register has the export before any of it is answered.
func (h *holding) export(customer *backoffice.Customer) error {
	if err := privacy.NoteExport(h.ctx, customer.ID); err != nil {
		return err
	}
	shown, err := showOne(h.ctx, customer)
	if err != nil {
		return err
	}
	h.values.Customer = shown
	return backoffice.CommitLedger(h.ctx)
}
