package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

// maxNodes is how many identifiers nodes takes.
const maxNodes = 100

func (r query) Node(ctx context.Context, id string) (backoffice.Node, error) {
	nodes, err := r.Nodes(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

// Nodes finds out of which noun each identifier is and loads each noun once. What needs a scope that the viewer lacks
// is not there for it.
func (query) Nodes(ctx context.Context, ids []string) ([]backoffice.Node, error) {
	if len(ids) > maxNodes {
		return nil, backoffice.Errorf(backoffice.BadInput, "ids takes at most %d identifiers", maxNodes)
	}
	l := loaders.From(ctx)
	nouns, err := l.Nouns.All(ctx, ids)
	if err != nil {
		return nil, err
	}
	places := map[backoffice.Noun][]int{}
	for i, noun := range nouns {
		if noun != "" {
			places[noun] = append(places[noun], i)
		}
	}
	nodes := make([]backoffice.Node, len(ids))
	for _, load := range []func() error{
		func() error { return fill(ctx, &l.FinancialYears, ids, places[backoffice.NounFinancialYear], nodes) },
		func() error { return fill(ctx, &l.Checklists, ids, places[backoffice.NounChecklist], nodes) },
		func() error { return fill(ctx, &l.Transcripts, ids, places[backoffice.NounTranscript], nodes) },
		func() error { return fill(ctx, &l.Calculations, ids, places[backoffice.NounCalculation], nodes) },
		func() error { return fill(ctx, &l.Customers, ids, places[backoffice.NounCustomer], nodes) },
		func() error { return fill(ctx, &l.Relations, ids, places[backoffice.NounRelation], nodes) },
		func() error { return fill(ctx, &l.Documents, ids, places[backoffice.NounDocument], nodes) },
		func() error { return fill(ctx, &l.Users, ids, places[backoffice.NounUser], nodes) },
		func() error { return fill(ctx, &l.Labels, ids, places[backoffice.NounLabel], nodes) },
		func() error {
			return guarded(ctx, backoffice.MinfinRead, &l.MinfinDocuments, ids, places[backoffice.NounMinfin], nodes)
		},
		func() error {
			return guarded(ctx, backoffice.PrivacyRead, &l.Consultations, ids, places[backoffice.NounConsultation], nodes)
		},
	} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// row is what every noun's rows are.
type row interface {
	comparable
	backoffice.Entity
	backoffice.Node
}

func fill[T row, C comparable](ctx context.Context, noun *loaders.Noun[T, C], ids []string, places []int, nodes []backoffice.Node) error {
	if len(places) == 0 {
		return nil
	}
	keys := make([]string, len(places))
	for i, place := range places {
		keys[i] = ids[place]
	}
	rows, err := noun.All(ctx, keys)
	if err != nil {
		return err
	}
	var none T
	for i, place := range places {
		if rows[i] != none {
			nodes[place] = rows[i]
		}
	}
	return nil
}

func guarded[T row, C comparable](ctx context.Context, scope backoffice.Scope, noun *loaders.Noun[T, C], ids []string, places []int, nodes []backoffice.Node) error {
	if !auth.Has(ctx, scope) {
		return nil
	}
	return fill(ctx, noun, ids, places, nodes)
}
