package rest

import "example.org/backoffice/backoffice"

// ShowCustomer serves the benchmark.
func ShowCustomer(c *backoffice.Customer) (shown Customer) {
	showCustomer(&shown, c)
	return shown
}
