// Package agents tests the promises of the endpoint for agents on the whole server: its tools, who has them, what they
// disclose and what they do not.
package agents
