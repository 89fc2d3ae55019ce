// Package execute runs GraphQL operations a level at a time. It takes the place of one method of gqlgen's executable
// schema, Exec, for queries and mutations, and executes subscriptions for several events at once (Events): each
// resolver is called once for all objects of its level, and the answer is appended to one buffer. Schema, bindings,
// inputs, directives, introspection, handler and extensions stay gqlgen's.
//
// An operation is compiled into a plan once. A run of it goes through two phases: levels of resolver calls, each of
// which gives a column of results for all objects at once, and then the writing of the columns, depth first. Errors are
// told and nulls climb while writing, when the path is at hand.
//
// It knows no schema: package graph hands it tables that the plugin in generate/ has written. What differs from
// gqlgen's generated executor: field interceptors (AroundFields, AroundRootFields) are not called; a directive on a
// field is asked once for all objects of a level, without any of them; a resolver below the root finds no field in its
// context; and what @defer marks is answered at once.
package execute

//go:generate go run ../../tools/breadth
