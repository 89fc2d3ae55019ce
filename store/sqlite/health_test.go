package sqlite_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

func TestADatabaseThatIsDamagedWhileItIsOpenSaysSo(t *testing.T) {
	t.Parallel()
	path := filled(t)
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if err := opened.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size())-4096), 4096) // all but the first page
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	_, err = backoffice.ReadPages(t.Context(), opened.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{Window: backoffice.Window{Limit: 500}}, []string{""}, 0)
	if backoffice.KindOf(err) != backoffice.Unavailable || err.Error() != "the store is damaged" {
		t.Errorf("a read: %v", err)
	}
	if err := opened.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("readiness: %v", err)
	}
}
