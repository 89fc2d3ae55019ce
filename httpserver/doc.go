// Package httpserver is the HTTP server around both APIs: what every request passes (an id, a log line, metrics, a
// deadline, a bound on its body, a net under a panic), whether the server lives and is ready, and how it starts, speaks
// TLS and stops.
//
// It knows no API and no store. Nothing that it logs or counts holds a variable, a body, a query string, or a path as
// it was sent: only the pattern of the route.
package httpserver
