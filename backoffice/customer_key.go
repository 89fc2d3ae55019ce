package backoffice

// CustomerKey names one customer by what is known of it; exactly one field is not nil.
type CustomerKey struct {
	ID           *string
	CustomerCode *string
	KboNumber    *string // in any accepted notation
}

// Query asks for the customers that the key names, and for a second one, which there may be of a KBO number.
// Errors: BadInput for a key with none or several fields, and for a number that is none.
func (k *CustomerKey) Query() (ListQuery[CustomerCriteria], error) {
	given := 0
	for _, field := range []*string{k.ID, k.CustomerCode, k.KboNumber} {
		if field != nil {
			given++
		}
	}
	if given != 1 {
		return ListQuery[CustomerCriteria]{}, Errorf(BadInput, "a key has exactly one of id, customerCode and kboNumber")
	}
	filter := CustomerFilter{CustomerCode: k.CustomerCode, KboNumber: k.KboNumber}
	criteria, err := filter.Criteria(nil)
	return ListQuery[CustomerCriteria]{Criteria: criteria, Window: Window{Limit: 2}}, err
}

// Only is the customer that the key names, nil for none. Errors: BadInput when there are several.
func (k *CustomerKey) Only(found []*Customer) (*Customer, error) {
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, Errorf(BadInput, "several customers have this KBO number; customers(filter: {kboNumber: …}) lists them")
}
