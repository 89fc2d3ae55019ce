package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// fillRegister writes the chains of two servers, in which some of the entries are of the customer "mine", and others
// of nobody.
func fillRegister(t *testing.T, store backoffice.Store, entries int) {
	t.Helper()
	for range 2 {
		var from backoffice.ConsultationHead
		err := store.OpenConsultationChain(t.Context(), func(chain int64) (backoffice.ConsultationHead, backoffice.ConsultationHead) {
			from = backoffice.ConsultationHead{Chain: chain, MAC: []byte("head")}
			return from, backoffice.ConsultationHead{Count: chain, MAC: []byte("register")}
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []*backoffice.Consultation
		for i := range entries {
			entry := &backoffice.Consultation{
				ID: backoffice.NewID(), At: backoffice.InstantAt(1_700_000_000_000 + 10*int64(i/3) - from.Chain), ClientID: "c", ClientName: "n", Operation: backoffice.ConsultedByRead,
				Fields: []backoffice.PrivacyField{backoffice.RegistrationNumber}, Chain: from.Chain, Number: int64(i) + 1, MAC: []byte("m"),
			}
			if customer := []string{"mine", "other", ""}[min(i%10, 2)]; customer != "" {
				entry.CustomerID = &customer
			}
			all = append(all, entry)
		}
		to := backoffice.ConsultationHead{Chain: from.Chain, Count: int64(entries), Last: []byte("m"), MAC: []byte("moved")}
		if err := store.AppendConsultations(t.Context(), from, to, all); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheConsultationsOfACustomerAreListedOldestFirstWithoutReadingThoseOfOthers(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	fillRegister(t, store, 3_000)
	list := func(customer string) (rows []string, statements int, err error) {
		t.Helper()
		var out bytes.Buffer
		ctx, count := backoffice.WithStatementCount(t.Context())
		c := consultationsListCommand{formatFlag: formatFlag{Format: "csv"}, Customer: customer}
		err = c.Run(ctx, store, terminal{out: &out, err: io.Discard})
		rows = slices.Collect(strings.Lines(out.String()))
		return rows[min(1, len(rows)):], count.Count(), err
	}
	all, walked, _ := list("")
	var want []string
	for _, row := range all {
		if strings.Contains(row, ",mine,") {
			want = append(want, row)
		}
	}
	at := func(row string) string { moment, _, _ := strings.Cut(row, ","); return moment }
	slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(at(a), at(b)) })
	got, asked, _ := list("mine")
	if len(want) != 600 || !slices.Equal(got, want) {
		t.Errorf("%d entries, want these %d of %d", len(got), len(want), len(all))
	}
	if asked != 5 || walked <= 12 { // pages of 500, and three statements that look for a customer of this name
		t.Errorf("it takes %d statements, and %d without a customer", asked, walked)
	}
	for _, nobody := range []string{"nobody", "no identifier\n"} {
		if rows, asked, err := list(nobody); len(rows) > 0 || asked > 4 || backoffice.KindOf(err) != backoffice.NotFound {
			t.Errorf("of %q are %d entries, by %d statements, %v", nobody, len(rows), asked, err)
		}
	}
}

func TestConsultationsAreCountedByMonthAndByWhoMadeThem(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	fillRegister(t, store, 600)
	count := func(in backoffice.Span) (months []string, reads, customers int) {
		t.Helper()
		all, err := backoffice.SummariseConsultations(t.Context(), store, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			months, reads, customers = append(months, s.Month+" "+s.ClientName), reads+s.Operations[backoffice.ConsultedByRead], customers+s.Customers
		}
		return months, reads, customers
	}
	if months, reads, customers := count(backoffice.Span{}); !slices.Equal(months, []string{"2023-11 n"}) || reads != 1200 || customers != 2 {
		t.Errorf("%v %d %d", months, reads, customers)
	}
	middle := backoffice.InstantAt(1_700_000_001_000)
	_, before, _ := count(backoffice.Span{To: middle, HasTo: true})
	_, from, _ := count(backoffice.Span{From: middle, HasFrom: true})
	if before == 0 || from == 0 || before+from != 1200 {
		t.Errorf("%d before, and %d from there on", before, from)
	}
}
