package privacy_test

import (
	"fmt"

	"example.org/backoffice/privacy"
)

// A purpose goes into the register of consultations as it was stated; a number in it would be one more place that
// holds it.
func ExampleParsePurpose() {
	purpose, err := privacy.ParsePurpose("yearly tax return")
	fmt.Println(purpose, err == nil)
	_, err = privacy.ParsePurpose("tax return of 85010112345")
	fmt.Println(err == nil)
	// Output:
	// yearly tax return true
	// false
}
