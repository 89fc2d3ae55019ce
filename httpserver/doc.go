// Package httpserver is the HTTP server around both APIs: what every request passes (an id, a log line, metrics, a
// deadline, a limit on its body, recovery from panics), health checks, and how it starts, speaks TLS and stops.
//
// It knows no API and no store. It logs and counts no variable, body, query string or path: only the route's pattern.
package httpserver
