package backoffice_test

import (
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"github.com/google/uuid"
)

func TestNewIdentifiersAreSoundAndSortByAge(t *testing.T) {
	t.Parallel()
	last := ""
	for range 1000 {
		id := backoffice.NewID()
		if err := backoffice.CheckID(id); err != nil {
			t.Fatal(err)
		}
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 {
			t.Fatalf("%s is no UUIDv7: %v", id, err)
		}
		if id <= last {
			t.Fatalf("%s comes after %s", id, last)
		}
		last = id
	}
}

func TestAnIdentifierHas1To64CharactersOfItsAlphabet(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "-", "_", "0", "Az_09-", strings.Repeat("x", 64)} {
		if err := backoffice.CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", strings.Repeat("x", 65), "a b", "a.b", "a/b", "é", "a\n", "a\x00", "\xff"} {
		refused(t, id, "", backoffice.CheckID(id))
	}
}

func FuzzCheckID(f *testing.F) {
	f.Add("kbo-0200065765")
	f.Add("a b")
	sound := regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)
	f.Fuzz(func(t *testing.T, id string) {
		if err := backoffice.CheckID(id); (err == nil) != sound.MatchString(id) {
			t.Fatalf("%q: %v", id, err)
		}
	})
}
