// Package graphqlhttp speaks GraphQL over HTTP: it reads a request strictly, prepares its document (limits, parsing and
// validation, remembered by text), has it executed, and writes the answer's bytes as the executor left them, as JSON or
// as Server-Sent Events, or over a WebSocket. Subscriptions are told by the latter two.
//
// It knows no store and no rule of the domain beyond the kinds of backoffice.Error. Whatever it says of a request
// names things of the schema and never a value that was sent. It does not authenticate: what stands in front of it
// answers through Refuse.
package graphqlhttp
