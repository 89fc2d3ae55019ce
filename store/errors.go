package store

import (
	"errors"
	"fmt"
)

// ViolationKind tells constraints apart.
type ViolationKind uint8

const (
	// UniqueViolation means that a value exists already.
	UniqueViolation ViolationKind = iota
	// ReferenceViolation means that something refers to nothing, or would.
	ReferenceViolation
)

// Violation is a constraint that stood in the way of a write. Engines recognise it by the driver's code.
type Violation struct {
	Of         ViolationKind
	Constraint string // its name, "" when the engine does not tell
}

// Error names no value.
func (v *Violation) Error() string {
	if v.Of == UniqueViolation {
		return fmt.Sprintf("unique constraint %q", v.Constraint)
	}
	return fmt.Sprintf("foreign key constraint %q", v.Constraint)
}

func violationOf(err error) *Violation {
	var violation *Violation
	errors.As(err, &violation)
	return violation
}

// SchemaError says that a database's schema is not the one that this program works with.
type SchemaError struct{ Have, Want int64 }

// Error says what to do.
func (e *SchemaError) Error() string {
	if e.Have > e.Want {
		return fmt.Sprintf("the database's schema has version %d and this program knows version %d: use a newer backoffice", e.Have, e.Want)
	}
	return fmt.Sprintf("the database's schema has version %d and this program needs version %d: run backoffice migrate", e.Have, e.Want)
}
