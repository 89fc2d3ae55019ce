package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

// testStrands is about what a transaction does together, and about what is done so within the store.
func testStrands(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	label := func(id, name string) *backoffice.Label {
		return &backoffice.Label{ID: id, Name: name, Color: "#ffffff"}
	}

	t.Run("what is done together is done in order, and each sees what was done before it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var found map[string]*backoffice.Label
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Together(ctx,
				func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("a", "A")) },
				func(ctx context.Context) error {
					return tx.Together(ctx, func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("b", "B")) })
				},
				func(ctx context.Context) error { // after the statements of the others, however many they need
					for range 3 {
						var err error
						if found, err = backoffice.ReadByID(ctx, tx.Labels(), []string{"a", "b"}, 0); err != nil {
							return err
						}
					}
					return nil
				})
		})
		if len(found) != 2 {
			t.Errorf("the last one saw %v", found)
		}
		total(t, store.Labels(), 2)
	})

	t.Run("of what fails together the first counts, and nothing is done", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Labels().Insert(ctx, label("a", "A")) })
		stop := errors.New("stop")
		for name, test := range map[string]struct {
			do   func(ctx context.Context, tx backoffice.Tx) []func(context.Context) error
			code backoffice.UserErrorCode
		}{
			"a refusal before another failure": {func(_ context.Context, tx backoffice.Tx) []func(context.Context) error {
				return []func(context.Context) error{
					func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("b", "A")) },
					func(context.Context) error { return stop },
				}
			}, backoffice.CodeTaken},
			"a refusal between what is well": {func(_ context.Context, tx backoffice.Tx) []func(context.Context) error {
				return []func(context.Context) error{
					func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("c", "C")) },
					func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("a", "D")) },
					func(ctx context.Context) error { _, err := tx.Labels().Delete(ctx, "a"); return err },
				}
			}, backoffice.CodeTaken},
			"a failure before a refusal": {func(_ context.Context, tx backoffice.Tx) []func(context.Context) error {
				return []func(context.Context) error{
					func(context.Context) error { return stop },
					func(ctx context.Context) error { return tx.Labels().Insert(ctx, label("b", "A")) },
				}
			}, ""},
		} {
			err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Together(ctx, test.do(ctx, tx)...) })
			var known *backoffice.Error
			switch {
			case test.code == "" && !errors.Is(err, stop):
				t.Errorf("%s: %v", name, err)
			case test.code != "" && (!errors.As(err, &known) || known.Kind != backoffice.Refused || known.UserErrors[0].Code != test.code):
				t.Errorf("%s: %v (%v)", name, err, errorCause(err))
			}
			total(t, store.Labels(), 1)
		}
	})

	t.Run("a user who is not there is told as such, whatever labels it was to have", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Users().Update(ctx, &backoffice.User{ID: "nobody", FirstName: "An", LastName: "P", Email: "an@example.org", LabelIDs: []string{"none"}, Version: 2})
		})
		var known *backoffice.Error
		if !errors.As(err, &known) || known.Kind != backoffice.Refused || known.UserErrors[0].Code != backoffice.CodeNotFound || known.UserErrors[0].Field[0] != "id" {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
	})

	t.Run("a document is stored for a completed transcript, and nothing else of it is", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		o := fullOffice()
		o.insert(t, store)
		for _, before := range o.transcripts {
			stored := readOne(t, store.Transcripts(), before.ID)
			of, err := store.BeginDocument(t.Context(), before.ID, backoffice.NewUploadID(), time.Minute)
			if err != nil || of.Transcript == nil || of.Customer.ID != stored.CustomerID || of.Checklist.ID != stored.ChecklistID || of.FinancialYear.ID != stored.FinancialYearID {
				t.Fatalf("%v: %+v", err, of)
			}
			set := &backoffice.Transcript{ID: before.ID, DocumentGenerated: true, OwnUpdatedAt: 1, Document: &backoffice.File{Key: "key of " + before.ID, ContentType: "text/plain", Size: 3, MD5Hash: "m", SHA256: []byte("s"), TimeCreated: 5}}
			var changed *backoffice.Transcript
			var replaced []string
			write(t, store, func(ctx context.Context, tx backoffice.Tx) (err error) {
				changed, replaced, err = tx.SetDocument(ctx, set)
				return err
			})
			if stored.IsCompleted {
				if old := stored.Document; (old != nil) != (len(replaced) == 1) || old != nil && replaced[0] != old.Key {
					t.Errorf("%s: it replaced %v", before.ID, replaced)
				}
				stored.Document, stored.DocumentGenerated, stored.DocumentGeneratedAt = changed.Document, true, 0
				if changed.Document.Key != set.Document.Key {
					t.Errorf("%s: its document is %+v", before.ID, changed.Document)
				}
			}
			if diff := cmp.Diff(stored, changed); diff != "" {
				t.Errorf("%s: the writer was told (-want +got):\n%s", before.ID, diff)
			}
			if diff := cmp.Diff(stored, readOne(t, store.Transcripts(), before.ID)); diff != "" {
				t.Errorf("%s: stored is (-want +got):\n%s", before.ID, diff)
			}
		}
	})
}
