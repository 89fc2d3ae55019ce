package privacy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"github.com/google/go-cmp/cmp"
)

// lines tells a register's entries: operation, customer, fields, client and purpose.
func (s *memoryStore) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, e := range s.entries {
		customer, purpose := "nobody", "none"
		if e.CustomerID != nil {
			customer = *e.CustomerID
		}
		if e.Purpose != nil {
			purpose = *e.Purpose
		}
		lines = append(lines, fmt.Sprint(e.Operation, " ", customer, " ", e.Fields, " ", e.ClientID, " ", e.ClientName, " for ", purpose))
	}
	return lines
}

func TestARevealedNumberIsEnteredOncePerCustomerInOneAppend(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	purpose := "tax return"
	ctx := NewVault(keys, store).WithLedger(context.Background(), reader, &purpose)
	asks := []SealedNumber{
		sealed(t, keys, "a", backoffice.SpouseRegistrationNumber),
		{CustomerID: "b", Field: backoffice.RegistrationNumber}, // holds no number
		sealed(t, keys, "c", backoffice.RegistrationNumber),
	}
	got, err := Reveal(ctx, asks)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] == nil || *got[0] != number || got[1] != nil || got[2] == nil || *got[2] != number {
		t.Errorf("revealed %v", got)
	}
	if _, err := Reveal(ctx, []SealedNumber{sealed(t, keys, "a", backoffice.RegistrationNumber), asks[0], asks[2]}); err != nil {
		t.Fatal(err)
	}
	if store.appends != 0 {
		t.Error("entered before the commit")
	}
	for range 2 {
		if err := backoffice.CommitLedger(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"READ a [REGISTRATION_NUMBER SPOUSE_REGISTRATION_NUMBER] credential-1 Reader for tax return",
		"READ c [REGISTRATION_NUMBER] credential-1 Reader for tax return",
	}
	if diff := cmp.Diff(want, store.lines()); diff != "" || store.appends != 1 {
		t.Errorf("%d appends; %s", store.appends, diff)
	}
}

func TestWithoutTheScopeNothingIsRevealedSearchedOrEntered(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	vault := NewVault(keys, store)
	for name, viewer := range map[string]*backoffice.Principal{"another scope": stranger, "nobody": nil} {
		t.Run(name, func(t *testing.T) {
			ctx := vault.WithLedger(context.Background(), viewer, nil)
			_, there := Reveal(ctx, []SealedNumber{sealed(t, keys, "a", backoffice.RegistrationNumber)})
			_, absent := Reveal(ctx, []SealedNumber{{CustomerID: "a", Field: backoffice.RegistrationNumber}})
			if there == nil || absent == nil || there.Error() != absent.Error() {
				t.Errorf("the answers tell whether there is a number: %v, %v", there, absent)
			}
			_, searched := Search(ctx).Index(backoffice.RegistrationNumber, number)
			_, exported := AsExport(ctx)
			for _, err := range []error{there, absent, searched, exported} {
				var known *backoffice.Error
				if !errors.As(err, &known) || known.Kind != backoffice.Forbidden || known.RequiredScope != backoffice.PrivacyRead {
					t.Errorf("%v", err)
				}
			}
			if err := backoffice.CommitLedger(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	if len(store.entries)+store.opens != 0 {
		t.Error("something was entered")
	}
}

func TestEachSearchIsAnEntryUnderWhomItFoundOrUnderNobody(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	ctx := NewVault(keys, store).WithLedger(context.Background(), reader, nil)

	none := Search(ctx) // no number is searched for
	none.Found("x")
	hit := Search(ctx)
	index, err := hit.Index(backoffice.RegistrationNumber, number)
	if err != nil {
		t.Fatal(err)
	}
	if want := sealed(t, keys, "a", backoffice.RegistrationNumber).Number.Index(); index != string(want) {
		t.Error("the index is not that of the store")
	}
	hit.Found("a")
	miss := Search(ctx)
	for _, field := range backoffice.AllPrivacyFields {
		if _, err := miss.Index(field, number); err != nil {
			t.Fatal(err)
		}
	}
	again := Search(ctx)
	if _, err := again.Index(backoffice.SpouseRegistrationNumber, number); err != nil {
		t.Fatal(err)
	}
	again.Found("a", "b")
	if err := backoffice.CommitLedger(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"SEARCH a [REGISTRATION_NUMBER] credential-1 Reader for none",
		"SEARCH nobody [REGISTRATION_NUMBER SPOUSE_REGISTRATION_NUMBER] credential-1 Reader for none",
		"SEARCH a [SPOUSE_REGISTRATION_NUMBER] credential-1 Reader for none",
		"SEARCH b [SPOUSE_REGISTRATION_NUMBER] credential-1 Reader for none",
	}
	if diff := cmp.Diff(want, store.lines()); diff != "" || store.appends != 1 {
		t.Errorf("%d appends; %s", store.appends, diff)
	}
}

func TestAnExportIsAnEntryForEachCustomerBeforeAnyNumberLeaves(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	purpose := "yearly copy"
	vault := NewVault(keys, store)
	ctx, err := AsExport(vault.WithLedger(context.Background(), reader, &purpose))
	if err != nil {
		t.Fatal(err)
	}
	ctx = vault.WithNewLedger(ctx) // of a page
	asks := []SealedNumber{
		sealed(t, keys, "a", backoffice.RegistrationNumber), sealed(t, keys, "b", backoffice.RegistrationNumber),
		{CustomerID: "c", Field: backoffice.RegistrationNumber}, sealed(t, keys, "a", backoffice.SpouseRegistrationNumber),
	}
	if got, err := Reveal(ctx, asks); err != nil || *got[0] != number {
		t.Fatal(err)
	}
	if err := backoffice.CommitLedger(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"EXPORT a [REGISTRATION_NUMBER SPOUSE_REGISTRATION_NUMBER] credential-1 Reader for yearly copy",
		"EXPORT b [REGISTRATION_NUMBER] credential-1 Reader for yearly copy",
	}
	if diff := cmp.Diff(want, store.lines()); diff != "" || store.appends != 1 {
		t.Errorf("%d appends; %s", store.appends, diff)
	}
}

func TestAnExportWithoutAPurposeIsRefused(t *testing.T) {
	t.Parallel()
	ctx := NewVault(testKeys(t), newMemoryStore()).WithLedger(context.Background(), reader, nil)
	if _, err := AsExport(ctx); backoffice.KindOf(err) != backoffice.BadInput {
		t.Error(err)
	}
}

func TestANumberThatDoesNotOpenIsAnInternalFaultThatTellsNothing(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	ctx := NewVault(keys, store).WithLedger(context.Background(), reader, nil)
	moved := sealed(t, keys, "a", backoffice.RegistrationNumber)
	moved.CustomerID = "b"
	got, err := Reveal(ctx, []SealedNumber{sealed(t, keys, "b", backoffice.RegistrationNumber), moved})
	if got != nil || backoffice.KindOf(err) != backoffice.Internal || err.Error() != "internal error" {
		t.Errorf("%v %v", got, err)
	}
	var known *backoffice.Error
	if errors.As(err, &known) && strings.Contains(fmt.Sprint(known.Cause), number) {
		t.Error("the cause holds the number")
	}
	if err := backoffice.CommitLedger(ctx); err != nil || len(store.entries) != 0 {
		t.Error("entered though nothing was revealed")
	}
}

func TestWithoutALedgerNothingIsRevealed(t *testing.T) {
	t.Parallel()
	if _, err := Reveal(context.Background(), nil); backoffice.KindOf(err) != backoffice.Internal {
		t.Error(err)
	}
	if err := backoffice.CommitLedger(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestResolversMayRevealSideBySide(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	ctx := NewVault(keys, store).WithLedger(context.Background(), reader, nil)
	var all sync.WaitGroup
	for i := range 40 {
		ask := sealed(t, keys, fmt.Sprint("c", i%20), backoffice.RegistrationNumber)
		all.Go(func() {
			if _, err := Reveal(ctx, []SealedNumber{ask}); err != nil {
				t.Error(err)
			}
			search := Search(ctx)
			if _, err := search.Index(ask.Field, number); err != nil {
				t.Error(err)
			}
			search.Found(ask.CustomerID)
		})
	}
	all.Wait()
	if err := backoffice.CommitLedger(ctx); err != nil {
		t.Fatal(err)
	}
	if len(store.entries) != 20+40 || store.appends != 1 {
		t.Errorf("%d entries in %d appends", len(store.entries), store.appends)
	}
}

func BenchmarkReveal(b *testing.B) {
	keys, store := testKeys(b), newMemoryStore()
	vault := NewVault(keys, store)
	for _, size := range []int{1, 100} {
		var asks []SealedNumber
		for i := range size {
			asks = append(asks, sealed(b, keys, fmt.Sprint("customer-", i), backoffice.RegistrationNumber))
		}
		b.Run(fmt.Sprint("numbers=", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx := vault.WithLedger(context.Background(), reader, nil)
				if _, err := Reveal(ctx, asks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestWhatIsForgottenIsNotEnteredAndWhatWasEnteredStays(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	ctx := NewVault(keys, store).WithLedger(t.Context(), reader, nil)
	reveal := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if _, err := Reveal(ctx, []SealedNumber{sealed(t, keys, id, backoffice.RegistrationNumber)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	reveal("a")
	if err := backoffice.CommitLedger(ctx); err != nil {
		t.Fatal(err)
	}
	reveal("b", "c")
	if err := Search(ctx).Begin(backoffice.RegistrationNumber); err != nil {
		t.Fatal(err)
	}
	ctx = backoffice.ForRetry(ctx)
	if !Consulted(ctx) {
		t.Error("what was entered is forgotten")
	}
	reveal("c")
	if err := backoffice.CommitLedger(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"READ a [REGISTRATION_NUMBER] credential-1 Reader for none",
		"READ c [REGISTRATION_NUMBER] credential-1 Reader for none",
	}
	if diff := cmp.Diff(want, store.lines()); diff != "" {
		t.Error(diff)
	}
}
