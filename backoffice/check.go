package backoffice

// checker gathers all that is wrong with an input, so that its caller can fix it in one go.
type checker struct{ found []*UserError }

func (c *checker) add(code UserErrorCode, message string, field ...string) {
	c.found = append(c.found, &UserError{Code: code, Message: message, Field: field})
}

// refusal is the error of the write that is not done, nil when nothing is wrong.
func (c *checker) refusal() error {
	if len(c.found) == 0 {
		return nil
	}
	return Refuse(c.found...)
}

// canonical reads a text that may be missing with one of the domain's parsers and keeps what the parser makes of it.
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

// reference checks an identifier that may not be missing. Whether something has it, only a store can tell.
func (c *checker) reference(id string, field ...string) {
	if id == "" {
		c.add(CodeRequired, "this field is required", field...)
	} else if CheckID(id) != nil {
		c.add(CodeNotFound, "nothing has this identifier", field...)
	}
}
