package main

import (
	"context"

	"example.org/backoffice/execute"
	"example.org/backoffice/loaders"
)

// The executor knows what an operation selects, and the loaders what to read for it; here the two meet.

// selectedFields are the fields that an operation selects of the rows behind a field: of the field's own objects, and for a
// connection of its nodes, its edges and their nodes.
func selectedFields(selection execute.Selection) any {
	var names []string
	for field := range selection.Fields() {
		names = append(names, field.Name())
		if field.Name() == "nodes" || field.Name() == "edges" {
			for inner := range field.Fields() {
				names = append(names, inner.Name())
				if inner.Name() == "node" {
					for row := range inner.Fields() {
						names = append(names, row.Name())
					}
				}
			}
		}
	}
	return loaders.NewFields(names)
}

// withSelectedFields hands them to the loaders.
func withSelectedFields(ctx context.Context, fields any) context.Context {
	return loaders.WithFields(ctx, fields.(*loaders.Fields))
}
