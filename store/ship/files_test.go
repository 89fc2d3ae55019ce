package ship

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// counting is a place that counts the stored files that it takes.
type counting struct {
	backoffice.ObjectStore
	files atomic.Int64
}

func (c *counting) Put(ctx context.Context, name string, content io.Reader) error {
	if strings.HasPrefix(name, shipped+"/") {
		c.files.Add(1)
	}
	return c.ObjectStore.Put(ctx, name, content)
}

func TestAStoredFileIsShippedOnceHoweverOftenItsRecordChanges(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		o.Trash = time.Hour
		to := &counting{ObjectStore: o.objects(t)}
		s, _ := o.ships(t, func(s *Shipper) { s.To = to })
		o.away(t, s)
		customer := o.customer(t, "Zonnebloem")
		o.document(t, customer, "a file")
		o.away(t, s)
		for range 3 {
			if _, err := o.DeleteCustomer(t.Context(), operator, customer, nil); err != nil {
				t.Fatal(err)
			}
			o.away(t, s)
			if _, err := o.RestoreTrashed(t.Context(), customer); err != nil {
				t.Fatal(err)
			}
			o.away(t, s)
		}
		if n := to.files.Load(); n != 1 || len(o.filesThere(t)) != 1 {
			t.Errorf("it is shipped %d times", n)
		}
	})
}
