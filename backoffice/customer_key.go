package backoffice

// CustomerKey names one customer; exactly one field is not nil.
type CustomerKey struct {
	ID           *string
	CustomerCode *string
	KboNumber    *string // in any accepted notation
}

// Query asks for up to two customers with the key: a KBO number may have several. Errors: BadInput for a key with none
// or several fields, and for an invalid number.
func (k *CustomerKey) Query() (ListQuery[CustomerCriteria], error) {
	given := 0
	for _, field := range []*string{k.ID, k.CustomerCode, k.KboNumber} {
		if field != nil {
			given++
		}
	}
	if given != 1 {
		return ListQuery[CustomerCriteria]{},
			Errorf(BadInput, "a key must have exactly one of id, customerCode and kboNumber")
	}
	filter := CustomerFilter{CustomerCode: k.CustomerCode, KboNumber: k.KboNumber}
	criteria, err := filter.Criteria(nil)
	return ListQuery[CustomerCriteria]{Criteria: criteria, Window: Window{Limit: 2}}, err
}

// Only returns the customer that the key names, nil for none. Errors: BadInput for several.
func (k *CustomerKey) Only(found []*Customer) (*Customer, error) {
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, Errorf(BadInput,
		"several customers have this KBO number; customers(filter: {kboNumber: …}) lists them")
}
