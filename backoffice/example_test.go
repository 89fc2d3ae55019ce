package backoffice_test

import (
	"fmt"

	"example.org/backoffice/backoffice"
)

// A KBO number is read in any usual notation, and its last two digits check the others.
func ExampleParseKBONumber() {
	number, err := backoffice.ParseKBONumber("0200.065.765")
	fmt.Println(number, err == nil)
	_, err = backoffice.ParseKBONumber("0200.065.766")
	fmt.Println(err == nil)
	// Output:
	// 0200065765 true
	// false
}

// A message shows no run of nine digits, whatever was sent.
func ExampleMaskDigits() {
	fmt.Println(backoffice.MaskDigits("call 12345 about 85010112345"))
	// Output:
	// call 12345 about #
}
