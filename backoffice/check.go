package backoffice

// checker collects all faults of an input, so that its caller can fix them in one go.
type checker struct{ found []*UserError }

func (c *checker) add(code UserErrorCode, message string, field ...string) {
	c.found = append(c.found, &UserError{Code: code, Message: message, Field: field})
}

// refusal returns the faults as one error, nil for none.
func (c *checker) refusal() error {
	if len(c.found) == 0 {
		return nil
	}
	return Refuse(c.found...)
}

// canonical parses a text that may be missing with one of the domain's parsers and stores the result.
func canonical[T ~string](c *checker, text *T, parse func(string) (string, error), field ...string) {
	if *text == "" {
		return
	}
	parsed, err := parse(string(*text))
	if err != nil {
		c.add(CodeInvalid, err.Error(), field...)
		return
	}
	*text = T(parsed)
}

// reference checks the form of a required identifier. Only a store can tell whether a record has it.
func (c *checker) reference(id string, field ...string) {
	if id == "" {
		c.add(CodeRequired, "this field is required", field...)
	} else if CheckID(id) != nil {
		c.add(CodeNotFound, "no object has this identifier", field...)
	}
}
