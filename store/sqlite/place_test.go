package sqlite_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

func TestNothingIsAcknowledgedThatIsWrittenIntoAFileWhichIsGone(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal"} {
		path := filled(t)
		opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = opened.Close() }()
		write := func(name string) error {
			return opened.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Insert(ctx, &backoffice.Label{ID: backoffice.NewID(), Name: name, Color: "#112233"})
			})
		}
		count := func() int {
			labels, err := backoffice.ReadCounts(t.Context(), opened.Labels(), backoffice.Root, backoffice.LabelCriteria{}, []string{""})
			if err != nil {
				t.Fatal(err)
			}
			return labels[""]
		}
		if err := write("before"); err != nil {
			t.Fatal(err)
		}
		acknowledged := count()
		if err := os.Rename(path+suffix, path+suffix+".away"); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"a write": write("meanwhile"), "readiness": opened.Ping(t.Context())} {
			if backoffice.KindOf(err) != backoffice.Unavailable || !strings.Contains(backoffice.Cause(err).Error(), "is gone") {
				t.Errorf("without the file %q %s: %v (%v)", suffix, what, err, backoffice.Cause(err))
			}
		}
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := write("into another"); backoffice.KindOf(err) != backoffice.Unavailable || !strings.Contains(backoffice.Cause(err).Error(), "was replaced") {
			t.Errorf("with another file %q: %v", suffix, err)
		}
		if err := os.Rename(path+suffix+".away", path+suffix); err != nil {
			t.Fatal(err)
		}
		if err := opened.Ping(t.Context()); err != nil {
			t.Errorf("with the file %q back: %v", suffix, err)
		}
		if err := write("after"); err != nil {
			t.Errorf("with the file %q back: %v", suffix, err)
		}
		if got := count(); got != acknowledged+1 {
			t.Errorf("%d labels are there, of %d that were acknowledged", got, acknowledged+1)
		}
	}
}
