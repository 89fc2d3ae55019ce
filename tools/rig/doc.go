// Package rig starts what the tools measure and break: the program as a process, over a store of either engine, and for
// PostgreSQL a server of its own. It speaks with the program as any client does and must not reach into it: what it
// finds out is what an operator would see.
package rig
