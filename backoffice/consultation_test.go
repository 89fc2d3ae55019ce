package backoffice_test

import (
	"bytes"
	"strconv"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestFieldsAndOperationsOfAConsultationHaveTheNamesOfTheSchema(t *testing.T) {
	t.Parallel()
	for _, field := range backoffice.AllPrivacyFields {
		var text bytes.Buffer
		field.MarshalGQL(&text)
		var back backoffice.PrivacyField
		if name, err := strconv.Unquote(text.String()); err != nil || back.UnmarshalGQL(name) != nil || back != field {
			t.Errorf("%s came back as %q", text.String(), back)
		}
	}
	for _, operation := range backoffice.AllPrivacyOperations {
		var text bytes.Buffer
		operation.MarshalGQL(&text)
		var back backoffice.PrivacyOperation
		if name, err := strconv.Unquote(text.String()); err != nil || back.UnmarshalGQL(name) != nil || back != operation {
			t.Errorf("%s came back as %q", text.String(), back)
		}
	}
	for _, bad := range []any{"", "read", "registrationNumber", 1, nil} {
		if new(backoffice.PrivacyField).UnmarshalGQL(bad) == nil || new(backoffice.PrivacyOperation).UnmarshalGQL(bad) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}
