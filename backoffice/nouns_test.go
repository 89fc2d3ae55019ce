package backoffice_test

import (
	"context"
	"reflect"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestEachNounIsAfterThoseThatItRefersTo(t *testing.T) {
	t.Parallel()
	for place, noun := range backoffice.Nouns {
		fields := reflect.ValueOf(noun).Elem().FieldByName("Fields")
		for i := range fields.Len() {
			to := backoffice.Noun(fields.Index(i).FieldByName("Refers").String())
			if to != "" && (to.Index() < 0 || to.Index() >= place) {
				t.Errorf("a %s refers to a %s, and that is not before it", noun.Name(), to)
			}
		}
	}
}

func TestWhoHasNoPrivacyReadIsGivenNoReaderOfNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openSQLite(t))
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		c := &backoffice.Customer{ID: "numbered", Type: backoffice.Company, Version: 3, HiddenChanges: 2}
		return tx.Customers().Insert(ctx, c)
	})
	for scope, version := range map[backoffice.Scope]int{backoffice.PrivacyRead: 3, backoffice.MinfinRead: 1} {
		store := backoffice.StoreVisibleTo(&backoffice.Principal{Scopes: []backoffice.Scope{scope}}, w.Store)
		for how, reader := range map[string]backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]{
			"by name": store.Customers(), "by noun": backoffice.CustomerTable.Reader(store),
		} {
			found, err := backoffice.ReadByID(t.Context(), reader, []string{"numbered"}, 0)
			if c := found["numbered"]; err != nil || c == nil || c.Version != version {
				t.Errorf("with %s, %s: %+v %v", scope, how, c, err)
			}
		}
	}
}
