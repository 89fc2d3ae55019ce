// Package agents is the endpoint for assistants, by the Model Context Protocol: its tools are trusted documents that an
// operator marked. It decides which tools a caller has, describes them, and shows their answers. It must not know how a
// query is executed, nor a store, and must log nothing that was asked or answered.
package agents
