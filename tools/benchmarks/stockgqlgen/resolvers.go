package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type root struct{ pool *pgxpool.Pool }

type (
	queries     struct{ *root }
	connections struct{ *root }
	customers   struct{ *root }
	relations   struct{ *root }
	transcripts struct{ *root }
)

func (r *root) Query() QueryResolver                           { return queries{r} }
func (r *root) CustomerConnection() CustomerConnectionResolver { return connections{r} }
func (r *root) Customer() CustomerResolver                     { return customers{r} }
func (r *root) Relation() RelationResolver                     { return relations{r} }
func (r *root) Transcript() TranscriptResolver                 { return transcripts{r} }

func (q queries) Customers(ctx context.Context, first int) (*CustomerConnection, error) {
	rows, err := q.pool.Query(ctx, "SELECT "+customerColumns+" FROM customers c ORDER BY id LIMIT $1", first)
	if err != nil {
		return nil, err
	}
	nodes, err := pgx.CollectRows(rows, scanCustomer)
	return &CustomerConnection{Nodes: nodes}, err
}

func (q queries) Customer(ctx context.Context, id string) (*Customer, error) {
	return from(ctx).customers.Load(ctx, id)()
}

func (c connections) TotalCount(ctx context.Context, _ *CustomerConnection) (n int, err error) {
	err = c.pool.QueryRow(ctx, "SELECT count(*) FROM customers").Scan(&n)
	return n, err
}

func (c customers) Responsible(ctx context.Context, customer *Customer) (*User, error) {
	if customer.ResponsibleID == "" {
		return nil, nil
	}
	return from(ctx).users.Load(ctx, customer.ResponsibleID)()
}

func (c customers) Relations(ctx context.Context, customer *Customer, first int) (*RelationConnection, error) {
	nodes, err := from(ctx).relations.Load(ctx, page{customer.ID, first})()
	return &RelationConnection{Nodes: nodes}, err
}

func (c customers) Transcripts(ctx context.Context, customer *Customer, first int) (*TranscriptConnection, error) {
	nodes, err := from(ctx).transcripts.Load(ctx, page{customer.ID, first})()
	return &TranscriptConnection{Nodes: nodes}, err
}

func (r relations) RelatedCustomer(ctx context.Context, relation *Relation) (*Customer, error) {
	return from(ctx).customers.Load(ctx, relation.RelatedCustomerID)()
}

func (t transcripts) Checklist(ctx context.Context, transcript *Transcript) (*Checklist, error) {
	return from(ctx).checklists.Load(ctx, transcript.ChecklistID)()
}

func (t transcripts) FinancialYear(ctx context.Context, transcript *Transcript) (*FinancialYear, error) {
	return from(ctx).years.Load(ctx, transcript.FinancialYearID)()
}
