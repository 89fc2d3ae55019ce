package cli

import (
	"testing"

	"example.org/backoffice/web/notices"
)

func TestTheLicensesOfWhatTheProgramContainsArePrintedWithoutAStore(t *testing.T) {
	t.Parallel()
	if printed := newShell(t).must(t, "licenses"); printed != notices.Text || len(printed) < 100_000 {
		t.Errorf("%d bytes", len(printed))
	}
}
