package resolvers

import "example.org/backoffice/graph"

type mutation struct{ graph.MutationResolver }

// Mutation gives gqlgen the resolvers of the mutations.
func (r *Root) Mutation() graph.MutationResolver { return mutation{} }
