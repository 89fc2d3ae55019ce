// Package integration is a typed client as an integration would have it: genqlient generates it from the server's
// schema and from the operations in operations.graphql. The suite drives the whole server with it.
//
// It must know only the server's schema.
package integration

//go:generate go tool genqlient genqlient.yaml
