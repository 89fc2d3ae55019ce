// Package graphqlhttp speaks GraphQL over HTTP: it reads a request strictly, prepares its document (limits, parsing and
// validation, cached by text), has it executed, and writes the answer's bytes as the executor left them, as JSON or as
// Server-Sent Events, or over a WebSocket (both for subscriptions).
//
// It knows no store and no rule of the domain beyond the kinds of backoffice.Error. Its messages about a request name
// things of the schema and never a value that was sent. Middleware authenticates, and answers by Refuse.
package graphqlhttp
