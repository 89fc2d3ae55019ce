package rest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/ownership"
)

// Ownership is who owns a customer on one day. Percentages are decimal texts.
type Ownership struct {
	CustomerID       string                 `json:"customer" doc:"The identifier of the customer."`
	AsOf             string                 `json:"asOf" doc:"The day on which the relations are in force." example:"2026-03-31"`
	Owners           []Owner                `json:"owners" nullable:"false" doc:"Everyone who holds a part, directly or through others: the largest share first."`
	BeneficialOwners []BeneficialOwner      `json:"beneficialOwners" nullable:"false" doc:"The natural persons who are beneficial owners by the rule. This is arithmetic on what is recorded, not legal advice."`
	Discrepancies    []OwnershipDiscrepancy `json:"discrepancies" nullable:"false" doc:"Where the UBO relations differ from them."`
	Layers           int                    `json:"layers" doc:"How many levels of owners there are."`
	Complex          bool                   `json:"complex" doc:"Whether three or more companies are between the customer and an owner of whom no owner is recorded."`
	Complete         bool                   `json:"complete" doc:"Whether the shares of every company are known and add up to 100 %, and nothing was cut off."`
	Cycles           int                    `json:"cycles" doc:"How many rings there are: companies that hold parts of each other."`
	UnknownShares    int                    `json:"unknownShares" doc:"How many relations have no known share."`
	Truncated        bool                   `json:"truncated" doc:"Whether 20 levels or 2,000 relations were reached."`
}

type Owner struct {
	PersonID     string `json:"person" doc:"The identifier of the holder."`
	DisplayName  string `json:"displayName" doc:"Its name to show."`
	SharePercent string `json:"sharePercent" doc:"The shares, direct and through others; unknown shares count 0." example:"33.3333"`
	VotePercent  string `json:"votePercent" doc:"The votes, alike; unknown ones are the shares, or what is left."`
	UpperBound   string `json:"upperBound" doc:"The most that sharePercent can be: unknown shares are all that is left of 100."`
	Direct       bool   `json:"direct" doc:"Whether a part is held directly."`
	Control      string `json:"control" doc:"The votes of the holder and of all companies of which these have more than half of the votes."`
}

type BeneficialOwner struct {
	PersonID     string                  `json:"person" doc:"The identifier of the person."`
	DisplayName  string                  `json:"displayName" doc:"The name to show."`
	Category     BeneficialOwnerCategory `json:"category" doc:"Why the person is one: by shares or votes, by control, or as a director because nobody else is."`
	SharePercent string                  `json:"sharePercent" doc:"The shares, direct and through others."`
	VotePercent  string                  `json:"votePercent" doc:"The votes, computed like sharePercent."`
	Control      string                  `json:"control" doc:"The votes, with those of companies that the person controls."`
}

type OwnershipDiscrepancy struct {
	Kind            DiscrepancyKind `json:"kind" doc:"What differs."`
	PersonID        string          `json:"person" doc:"The identifier of the person."`
	DisplayName     string          `json:"displayName" doc:"The name to show."`
	RelationID      *string         `json:"relation" doc:"The identifier of the relation that declares the person."`
	DeclaredPercent *string         `json:"declaredPercent" doc:"The share that the relation has."`
	ComputedPercent string          `json:"computedPercent" doc:"The computed share; 0 for a person without one."`
	Certain         bool            `json:"certain" doc:"Whether nothing that is not recorded can explain it."`
}

// DiscrepancyKind is one of backoffice.DiscrepancyKinds.
type DiscrepancyKind string

func (DiscrepancyKind) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.DiscrepancyKinds, func(k backoffice.DiscrepancyKind) string { return string(k) })
}

// BeneficialOwnerCategory is one of ownership.Categories.
type BeneficialOwnerCategory string

func (BeneficialOwnerCategory) Schema(huma.Registry) *huma.Schema {
	return oneOf(ownership.Categories, func(c ownership.Category) string { return string(c) })
}

type ownershipAsked struct {
	OfCustomer
	AsOf      Optional[string] `query:"asOf" doc:"Only relations that are in force on this day; default today, in Belgium." example:"2026-03-31"`
	MaxDepth  int              `query:"maxDepth" default:"20" minimum:"1" maximum:"20" doc:"How many levels are read."`
	Rule      string           `query:"rule" enum:"BELGIUM_2018,EU_2024,CUSTOM" doc:"Who is a beneficial owner; default the rule in force on the day: more than 25 % (law of 18 September 2017, article 4, 27°), 25 % or more (regulation (EU) 2024/1624, articles 52 to 54), or the threshold or more."`
	Threshold Optional[string] `query:"threshold" doc:"The percentage of CUSTOM." example:"10"`
	Format    string           `query:"format" enum:"json,bods,svg,pdf" doc:"Default what Accept prefers: JSON, statements of the Beneficial Ownership Data Standard 0.4, a picture, or a document."`
}

const (
	mediaSVG = "image/svg+xml"
	mediaPDF = "application/pdf"
)

func (a *API) ownership() {
	op := operation("GET /customers/{customerId}/ownership", "getOwnership", "Show who owns a customer",
		"The owners through all levels, computed from relations of the kind shareholder. "+
			"There are no registration numbers of persons in it.")
	op.Metadata = map[string]any{costKey: 200} // as in GraphQL
	op.Responses = a.inFormats("The owners.", reflect.TypeFor[Ownership](), mediaSVG, mediaPDF)
	registerList(a, op, "", func(ctx context.Context, in *ownershipAsked) (*download, error) {
		format, err := formatOf(ctx, in.Format, "json", "bods", "svg", "pdf")
		if err = cmp.Or(err, a.exists(ctx, in.CustomerID)); err != nil {
			return nil, err
		}
		threshold, _ := in.Threshold.Get()
		of, err := a.owned(ctx, in.CustomerID, ownership.Question{Depth: in.MaxDepth,
			AsOf: value(in.AsOf), Today: backoffice.Today(time.Now())}, ownership.Rule(in.Rule), threshold)
		if err != nil {
			return nil, err
		}
		switch format {
		case "svg":
			return bytesOf(mediaSVG, of.Picture(of.describe)), nil
		case "bods":
			statements, err := of.statements()
			return bytesOf(mediaJSON, statements), err
		}
		if err := of.compare(ctx); err != nil {
			return nil, err
		}
		if format == "pdf" {
			var page bytes.Buffer
			err := of.page(a.Service.Documents, &page)
			return bytesOf(mediaPDF, page.Bytes()), err
		}
		return jsonOf(of.shown()), nil
	})
}

// owned is who owns a customer, with the customers that are named.
type owned struct {
	*ownership.Structure
	records
	beneficial    []*ownership.BeneficialOwner
	discrepancies []*ownership.Discrepancy // after compare
}

func (a *API) owned(ctx context.Context, customerID string, q ownership.Question, rule ownership.Rule,
	threshold string) (*owned, error) {
	from := records{ownership.Stored{From: a.Store}, map[string]*backoffice.Customer{}}
	of, err := ownership.Structures(ctx, []string{customerID}, q, from)
	if err != nil {
		return nil, backoffice.InField(err, "asOf")
	}
	owners, err := ownership.BeneficialOwners(ctx, of, rule, threshold, from)
	if err != nil {
		return nil, backoffice.InField(err, "threshold")
	}
	return &owned{records: from, Structure: of[0], beneficial: owners[0]}, nil
}

// compare reads the discrepancies, which not every form shows.
func (o *owned) compare(ctx context.Context) error {
	all, err := ownership.Discrepancies(ctx, []*ownership.Structure{o.Structure}, o.records)
	if err != nil {
		return err
	}
	o.discrepancies = all[0]
	// Who is declared need not be among the owners.
	_, err = o.Customers(ctx, backoffice.Map(all[0], func(d *ownership.Discrepancy) string { return d.CustomerID }))
	return err
}

// records reads from the store, at the request's moment, and remembers the customers.
type records struct {
	ownership.Stored
	known map[string]*backoffice.Customer
}

func (r records) Customers(ctx context.Context, ids []string) ([]*backoffice.Customer, error) {
	found, err := r.Stored.Customers(ctx, ids)
	for _, c := range found {
		if c != nil {
			r.known[c.ID] = c
		}
	}
	return found, err
}

func (o *owned) describe(id string) ownership.Party {
	c := o.known[id]
	if c == nil {
		return ownership.Party{}
	}
	natural := c.Type == backoffice.PrivatePerson
	return ownership.Party{Name: c.DisplayName, Natural: natural, KBONumber: string(c.KboNumber)}
}

func (o *owned) statements() ([]byte, error) {
	by := ownership.Publication{Publisher: "Backoffice", Date: o.AsOf}
	return o.Statements(by, o.describe, o.beneficial)
}

func (o *owned) page(documents backoffice.Documents, w io.Writer) error {
	return documents.Ownership(w, o.Report(o.known[o.Target()], o.beneficial, o.discrepancies, o.describe))
}

func (o *owned) shown() Ownership {
	return Ownership{
		CustomerID: o.Target(), AsOf: o.AsOf, Layers: o.Layers(), Complex: o.Complex(), Complete: o.Complete(),
		Cycles: o.Cycles(), UnknownShares: o.UnknownShares(), Truncated: o.Truncated(),
		Owners: backoffice.Map(o.First(ownership.MaxHoldings), func(s *ownership.StakeOf) Owner {
			return Owner{
				PersonID: s.CustomerID, DisplayName: o.describe(s.CustomerID).Name, Direct: s.Direct,
				SharePercent: ownership.Decimal(s.Share), VotePercent: ownership.Decimal(s.Vote),
				UpperBound: ownership.Decimal(s.UpperBound), Control: ownership.Decimal(s.Control),
			}
		}),
		BeneficialOwners: backoffice.Map(o.beneficial, func(b *ownership.BeneficialOwner) BeneficialOwner {
			return BeneficialOwner{
				PersonID: b.CustomerID, DisplayName: o.describe(b.CustomerID).Name,
				Category:     BeneficialOwnerCategory(b.Category),
				SharePercent: ownership.Decimal(b.Share), VotePercent: ownership.Decimal(b.Vote),
				Control: ownership.Decimal(b.Control),
			}
		}),
		Discrepancies: backoffice.Map(o.discrepancies, func(d *ownership.Discrepancy) OwnershipDiscrepancy {
			return OwnershipDiscrepancy{
				Kind: DiscrepancyKind(d.Kind), PersonID: d.CustomerID, DisplayName: o.describe(d.CustomerID).Name,
				RelationID: orNull(d.RelationID), DeclaredPercent: orNull(d.Declared.String()),
				ComputedPercent: ownership.Decimal(d.Computed), Certain: d.Certain,
			}
		}),
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
