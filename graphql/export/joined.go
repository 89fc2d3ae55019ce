package export

import "example.org/backoffice/backoffice"

// between separates the values of a list in its cell.
const between = "; "

// only is the path of the one scalar of a shape, if it has no more than that and no list; "" otherwise.
func (s *shape) only() (path string) {
	for _, m := range s.members {
		below := m.name
		switch {
		case m.role == page || m.role == cursor:
			continue
		case path != "" || m.role == rows || m.list || m.many:
			return ""
		case m.below != nil:
			if below = m.below.only(); below == "" {
				return ""
			}
			if m.role == plain {
				below = join(m.name, below)
			}
		}
		path = below
	}
	return path
}

// joined is a list's values as one text: of the scalars themselves, or of the only scalar of its objects. Nil for none.
func (t *table) joined(of *shape, at int) []byte {
	start := len(t.text)
	t.text = append(t.text, '"')
	_ = eachElement(t.bytes, at, func(at int) (int, error) {
		if of == nil {
			return t.joinValue(at, start), nil
		}
		return t.joinOnly(of, at, start), nil
	})
	if len(t.text) == start+1 {
		return nil
	}
	t.text = append(t.text, '"')
	return t.text[start:len(t.text):len(t.text)]
}

func (t *table) joinOnly(s *shape, at, start int) (end int) {
	return s.each(t.bytes, at, func(m *member, at int) int {
		if m.below != nil {
			return t.joinOnly(m.below, at, start)
		}
		return t.joinValue(at, start)
	})
}

// joinValue appends a value to the text in JSON that begins at start; a null is left out.
func (t *table) joinValue(at, start int) (end int) {
	end = skip(t.bytes, at)
	value := t.bytes[at:end]
	if isNull(value, 0) {
		return end
	}
	if len(t.text) > start+1 {
		t.text = append(t.text, between...)
	}
	switch value[0] {
	case '"':
		value = value[1 : len(value)-1]
	case '{', '[':
		value = backoffice.AppendJSONString(nil, string(value))
		value = value[1 : len(value)-1]
	}
	t.text = append(t.text, value...)
	return end
}
