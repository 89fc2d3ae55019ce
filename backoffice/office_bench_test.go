package backoffice_test

import (
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
)

func BenchmarkWrites(b *testing.B) {
	for name, open := range map[string]func(testing.TB) backoffice.Store{"SQLite": openSQLite, "PostgreSQL": openPostgres} {
		b.Run(name+"/create a customer with a key", func(b *testing.B) {
			w := newWorld(b, open(b))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := w.CreateCustomer(b.Context(), w.by, backoffice.CustomerFields{
					Type: backoffice.Value(backoffice.Company), Name: text("Acme"), CustomerCode: text(fmt.Sprint(i)), KboNumber: text("0200065765"), RegistrationNumber: text("85073003328"),
				}, text(fmt.Sprint(i)))
				accept(b, err)
			}
		})
		b.Run(name+"/update a customer", func(b *testing.B) {
			w := newWorld(b, open(b))
			c := w.company(b, backoffice.CustomerFields{})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := w.UpdateCustomer(b.Context(), w.by, c.ID, backoffice.CustomerFields{Name: text(fmt.Sprint("n", i))}, nil)
				accept(b, err)
			}
		})
	}
}
