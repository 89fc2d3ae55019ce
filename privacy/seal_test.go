package privacy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

func TestASealedNumberOpensForItsOwnCustomerAndFieldOnly(t *testing.T) {
	t.Parallel()
	keys := testKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		customer := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`).Draw(t, "customer")
		field := rapid.SampledFrom(backoffice.AllPrivacyFields).Draw(t, "field")
		text := rapid.StringMatching(`[0-9]{11}`).Draw(t, "number")
		s, err := keys.Seal(customer, field, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := keys.open(customer, field, s); err != nil || got != text {
			t.Fatalf("opened %q, %v", got, err)
		}
		other := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`).Filter(func(s string) bool { return s != customer }).Draw(t, "other")
		if _, err := keys.open(other, field, s); err == nil {
			t.Fatal("opened for another customer")
		}
		for _, wrong := range backoffice.AllPrivacyFields {
			if _, err := keys.open(customer, wrong, s); (err == nil) != (wrong == field) {
				t.Fatalf("field %s: %v", wrong, err)
			}
		}
		if bytes.Contains(s.Ciphertext(), []byte(text)) || bytes.Contains(s.Index(), []byte(text)) {
			t.Fatal("the number shows")
		}
	})
}

func TestTheIndexIsTheSameForTheSameNumberAndDiffersByFieldAndKeyset(t *testing.T) {
	t.Parallel()
	keys, others := testKeys(t), testKeys(t)
	a := sealed(t, keys, "a", backoffice.RegistrationNumber).Number
	b := sealed(t, keys, "b", backoffice.RegistrationNumber).Number
	spouse := sealed(t, keys, "a", backoffice.SpouseRegistrationNumber).Number
	foreign := sealed(t, others, "a", backoffice.RegistrationNumber).Number
	if !a.SameNumber(b) || bytes.Equal(a.Ciphertext(), b.Ciphertext()) {
		t.Error("one number must give one index and each time another ciphertext")
	}
	if a.SameNumber(spouse) || a.SameNumber(foreign) || a.SameNumber(backoffice.Sealed{}) {
		t.Error("index shared between fields, keysets or with no number")
	}
	if len(a.Index()) != backoffice.IndexSize || len(a.Ciphertext()) != len(spouse.Ciphertext()) {
		t.Error("sizes differ")
	}
}

func TestNoNumberIsSealedAsNone(t *testing.T) {
	t.Parallel()
	s, err := testKeys(t).Seal("a", backoffice.RegistrationNumber, "")
	if err != nil || !s.IsZero() || s.Index() != nil || s.Ciphertext() != nil {
		t.Errorf("%v %v", s.IsZero(), err)
	}
}

func TestASealedNumberPrintsNothingOfItself(t *testing.T) {
	t.Parallel()
	s := sealed(t, testKeys(t), "a", backoffice.RegistrationNumber).Number
	asJSON, err := json.Marshal(map[string]any{"n": s, "p": &s})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "number", s, "pointer", &s)
	prints := []string{string(asJSON), logged.String(), fmt.Sprint(s, &s)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		prints = append(prints, fmt.Sprintf(verb, s), fmt.Sprintf(verb, &s))
	}
	for _, print := range prints {
		if !strings.Contains(print, "[sealed]") || strings.Contains(print, string(s.Ciphertext())) {
			t.Errorf("printed %q", print)
		}
	}
	if zero := fmt.Sprint(backoffice.Sealed{}); zero != "[sealed]" {
		t.Errorf("whether there is a number shows: %q", zero)
	}
}

func BenchmarkSeal(b *testing.B) {
	keys := testKeys(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := keys.Seal("0190c9a4-0000-7000-8000-000000000000", backoffice.RegistrationNumber, number); err != nil {
			b.Fatal(err)
		}
	}
}
