// Package numbers tests that a registration number is disclosed only to its scope, and never without an entry in the
// register.
package numbers
