package backoffice

import (
	"strings"
	"testing"
)

func TestWhatIsSentHasAPlaceInTheTable(t *testing.T) {
	t.Parallel()
	type draft struct {
		Name    string
		Color   Optional[string]
		Website Optional[string] // of which the table knows nothing
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "no field for Website") {
			t.Errorf("a field without a place was taken: %q", said)
		}
	}()
	inputOf[draft](LabelTable)
}

func TestWhatIsSentIsAppliedByItsNames(t *testing.T) {
	t.Parallel()
	c := Customer{Type: Company, OwnName: "Before", Scopes: []string{"checklist"}, Language: "dutch", Address: Address{City: "Gent", Street: "Kerkstraat"}}
	var wrong checker
	customerInput.apply(&CustomerFields{
		Name: Null[string](), Language: Value(""), Scopes: Value([]string{"vat-os"}), CompanyType: Value(LegalFormBV),
		Address: Value(AddressFields{City: Null[string](), Box: Value("A")}),
	}, &c, &wrong)
	if c.OwnName != "" || c.Scopes[0] != "vat-os" || c.CompanyType != LegalFormBV || c.Address != (Address{Street: "Kerkstraat", Box: "A"}) || c.Type != Company {
		t.Errorf("%+v", c)
	}
	if len(wrong.found) != 1 || wrong.found[0].Code != CodeInvalid || wrong.found[0].Field[0] != "language" || c.Language != "dutch" {
		t.Errorf("an empty text: %+v, %q", wrong.found, c.Language)
	}
	if wrong.found[0].Message != "a text cannot be empty; null clears it" {
		t.Errorf("%s", wrong.found[0].Message)
	}
	customerInput.apply(&CustomerFields{Address: Null[AddressFields]()}, &c, &wrong)
	if c.Address != (Address{}) {
		t.Errorf("null for an object clears all of it: %+v", c.Address)
	}
}
