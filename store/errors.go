package store

import (
	"errors"
	"fmt"

	"example.org/backoffice/backoffice"
)

// Unavailable reports that the store does not answer.
func Unavailable(cause error) error {
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the store is not available", Cause: cause}
}

// Full reports that the store has no room left: reads work, writes fail.
func Full(cause error) error {
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the disk of the store is full",
		Cause: fmt.Errorf("%w: the disk is full", cause)}
}

// Damaged reports that a part of the store cannot be read any more.
func Damaged(cause error) error {
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the store is damaged",
		Cause: fmt.Errorf("%w: the database is damaged; restore it from a backup", cause)}
}

// PeriodWords are in SQLite's rejection of a relation that exists on the same days.
const PeriodWords = "relations_period"

// ClosedKeyWords are in both engines' rejection of a number that was sealed by a key closed since.
const ClosedKeyWords = "sealed by a key that is closed"

// ClosedKey reports that a write came too late for its key; it may be retried with the next key.
func ClosedKey() error {
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the keys changed meanwhile; try again",
		Cause: errors.New("a registration number was sealed by a key that has been closed since")}
}

type ViolationKind uint8

const (
	// UniqueViolation means that the value exists already.
	UniqueViolation ViolationKind = iota
	// ReferenceViolation means that a reference has no target, or would have none.
	ReferenceViolation
)

// Violation is a constraint that rejected a write. Engines recognise it by the driver's code.
type Violation struct {
	Of         ViolationKind
	Constraint string // its name, "" when the engine does not report it
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

// SchemaError reports that a database's schema is not the one this program works with.
type SchemaError struct{ Have, Want int64 }

func (e *SchemaError) Error() string {
	if e.Have > e.Want {
		return fmt.Sprintf("the database's schema is version %d, but this program supports version %d:"+
			" use a newer backoffice", e.Have, e.Want)
	}
	return fmt.Sprintf("the database's schema is version %d, but this program needs version %d: run backoffice migrate",
		e.Have, e.Want)
}
