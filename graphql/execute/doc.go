// Package execute runs GraphQL operations a level at a time. It replaces Exec, one method of gqlgen's executable
// schema, for queries and mutations, and executes subscriptions for several events at once (Events). Each resolver is
// called once for all objects of its level, and the answer is appended to one buffer. The rest is gqlgen's.
//
// An operation is compiled into a plan once. A run has two phases: levels of resolver calls, each of which returns a
// column of results for all objects at once, and then the writing of the columns, depth first. Errors are reported and
// nulls propagate while writing, when the path is at hand.
//
// It knows no schema: package graph passes it tables that the plugin in generate/ has written. It differs from gqlgen's
// generated executor: field interceptors (AroundFields, AroundRootFields) are not called; a directive on a field runs
// once for all objects of a level, without any of them; a resolver below the root finds no field in its context; and
// @defer is ignored.
package execute

//go:generate go run -C ../../tools ./breadth
