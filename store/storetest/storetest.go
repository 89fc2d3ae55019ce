// Package storetest is the conformance suite of stores: what any engine must do, in the sentences of package
// backoffice's interfaces. An engine's test calls Run.
package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

// group is a part of the suite.
type group struct {
	name string
	run  func(*testing.T, func(t testing.TB) backoffice.Store)
}

var reads = []group{{"records", testRecords}, {"lists", testLists}, {"groups", testGroups}, {"similar", testSimilar}, {"batch", testBatch}, {"calls", testCalls}}

var writes = []group{
	{"walks", testWalks}, {"writes", testWrites}, {"cascades", testCascades}, {"change log", testLog}, {"acts", testActs}, {"change feed", testFeed}, {"what the log tells", testTouched}, {"visible", testVisible}, {"once", testOnce}, {"view", testView}, {"strands", testStrands}, {"unique values", testUnique}, {"leases", testLeases}, {"idempotency keys", testKeys},
	{"forgotten files", testForgottenFiles}, {"file register", testFileRegister}, {"consultations", testConsultations}, {"credentials", testCredentials}, {"webhooks", testWebhooks}, {"trusted documents", testTrusted}, {"mirrors", testMirrors}, {"trash", testTrash}, {"imports", testImports}, {"closed keys", testClosedKeys},
	{"the use of keys outlives a long write", testKeyUseOutlivesAWrite},
}

// Run runs the suite, and lets no statement pass that has no name. newStore opens a fresh, empty store and closes it
// when its test ends.
func Run(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	run(t, naming(newStore), append(writes, reads...))
}

// RunReads runs the part that is about reading what was written, for an engine that can be asked in several ways.
func RunReads(t *testing.T, newStore func(t testing.TB) backoffice.Store) { run(t, newStore, reads) }

func run(t *testing.T, newStore func(t testing.TB) backoffice.Store, groups []group) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.run(t, newStore)
		})
	}
}

// SkipUnderRace skips a test in which hardly any goroutines meet, under the race detector. make test runs the packages that
// call it without it, too.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("it runs without the race detector")
	}
}

// write runs do in a transaction that must succeed.
func write(t testing.TB, store backoffice.Store, do func(ctx context.Context, tx backoffice.Tx) error) {
	t.Helper()
	if err := store.Write(t.Context(), do); err != nil {
		t.Fatalf("writing: %v (%v)", err, errorCause(err))
	}
}

func errorCause(err error) error {
	if known, ok := err.(*backoffice.Error); ok {
		return known.Cause
	}
	return err
}

// refused checks that a write was refused, for one reason.
func refused(t testing.TB, err error, code backoffice.UserErrorCode, field ...string) {
	t.Helper()
	var known *backoffice.Error
	if !errors.As(err, &known) || known.Kind != backoffice.Refused || len(known.UserErrors) != 1 || known.UserErrors[0].Code != code {
		t.Errorf("want a refusal with %s, got %v (%v)", code, err, errorCause(err))
		return
	}
	if len(field) > 0 && !slices.Equal(field, known.UserErrors[0].Field) {
		t.Errorf("the fault is in %v, want %v", known.UserErrors[0].Field, field)
	}
}
