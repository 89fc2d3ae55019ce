package backoffice_test

import (
	"bytes"
	"testing"

	"example.org/backoffice/backoffice"
	"github.com/google/go-cmp/cmp"
)

func TestTheTableHasTheFormsOfTheSchemaInItsOrder(t *testing.T) {
	t.Parallel()
	want := []backoffice.LegalForm{
		"BV", "NV", "CV", "VOF", "COMMV", "COMMVA", "VZW", "IVZW", "PS", "SON", "SE", "SCE", "ESV", "EESV", "LV", "VME", "MAATSCHAP", "EENMANSZAAK", "PUBLIC",
		"BUITENLANDS", "ANDERE", "IN_OPRICHTING", "FEITELIJKE_VERENIGING", "KOSTENDELENDE_VERENIGING", "ONVERDEELDHEID", "BUITENLANDS_ZONDER_VESTIGING",
	}
	got := backoffice.LegalForms()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	got[0] = "changed"
	if backoffice.LegalForms()[0] != backoffice.LegalFormBV {
		t.Error("a caller can change the table")
	}
}

func TestFiveFormsHaveNoKBONumber(t *testing.T) {
	t.Parallel()
	var without []backoffice.LegalForm
	for _, form := range backoffice.LegalForms() {
		if !form.NeedsKBO() {
			without = append(without, form)
		}
	}
	want := []backoffice.LegalForm{"IN_OPRICHTING", "FEITELIJKE_VERENIGING", "KOSTENDELENDE_VERENIGING", "ONVERDEELDHEID", "BUITENLANDS_ZONDER_VESTIGING"}
	if diff := cmp.Diff(want, without); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFormHasALabelInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, form := range backoffice.LegalForms() {
		labels := map[string]bool{}
		for _, language := range []backoffice.LabelLanguage{backoffice.LabelDutch, backoffice.LabelFrench, backoffice.LabelGerman, backoffice.LabelEnglish} {
			labels[form.Label(language)] = true
		}
		if len(labels) < 4 || labels[string(form)] {
			t.Errorf("%s: %v", form, labels)
		}
		if form.Label("") != form.Label(backoffice.LabelEnglish) {
			t.Errorf("%s has no English label for an unknown language", form)
		}
	}
	if got := backoffice.LegalFormNV.Label(backoffice.LabelFrench); got != "Société anonyme" {
		t.Errorf("got %q", got)
	}
	if got := backoffice.LegalForm("X").Label(backoffice.LabelDutch); got != "X" {
		t.Errorf("an unknown form is labelled %q", got)
	}
}

func TestACodeOfTheRegisterHasAForm(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]backoffice.LegalForm{
		"610": "BV", "015": "BV", "014": "NV", "706": "CV", "008": "CV", "703": "MAATSCHAP", "454": "BUITENLANDS",
		"200": "IN_OPRICHTING", "412": "ANDERE", "": "ANDERE", "BV": "ANDERE", "610 015": "ANDERE",
	} {
		if got := backoffice.LegalFormOfKBO(code); got != want {
			t.Errorf("%q: got %s, want %s", code, got, want)
		}
	}
}

func TestALegalFormIsKnownByItsKeyAlone(t *testing.T) {
	t.Parallel()
	for _, form := range backoffice.LegalForms() {
		if got, err := backoffice.ParseLegalForm(string(form)); err != nil || got != form {
			t.Errorf("%s: got %s, %v", form, got, err)
		}
	}
	for _, key := range []string{"", "bv", " BV", "key", "GMBH"} {
		got, err := backoffice.ParseLegalForm(key)
		refused(t, key, got, err)
	}
}

func TestLegalFormsAreEnumValues(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var form backoffice.LegalForm
	if err := form.UnmarshalGQL("COMMV"); err != nil || form != backoffice.LegalFormCommV {
		t.Errorf("got %s, %v", form, err)
	}
	form.MarshalGQL(&out)
	if got := out.String(); got != `"COMMV"` {
		t.Errorf("written as %s", got)
	}
	for _, v := range []any{nil, 1, "", "german", "SPANISH"} {
		if form.UnmarshalGQL(v) == nil {
			t.Errorf("%v passes", v)
		}
	}
}

func FuzzParseLegalForm(f *testing.F) {
	f.Add("BV")
	f.Add("bv")
	f.Fuzz(func(t *testing.T, key string) {
		form, err := backoffice.ParseLegalForm(key)
		if err != nil {
			refused(t, key, form, err)
		} else if string(form) != key {
			t.Fatalf("%q gives %q", key, form)
		}
	})
}
