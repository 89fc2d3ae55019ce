package ownership

// Party is how a customer is shown.
type Party struct {
	Name      string
	Natural   bool
	KBONumber string // shown for companies only; "" shows none
}

// Describe returns how customers are shown.
type Describe func(customerID string) Party
