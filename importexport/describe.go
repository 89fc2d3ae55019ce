package importexport

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// describe completes a noun with the fields of its table in the domain.
func describe[T any, C comparable](of *backoffice.Table[T, C], n noun[T, C]) *noun[T, C] {
	n.Table = of
	n.blankRow = n.fresh(0)
	var fields []field[T]
	for i := range of.Fields {
		f := &of.Fields[i]
		if object, _, isPart := strings.Cut(f.Name, "."); !isPart {
			fields = append(fields, fieldOf(f, n.blankRow))
		} else if !strings.HasPrefix(of.Fields[i-1].Name, object+".") { // the object's first part
			fields = append(fields, objectField(object, of.Fields))
		}
	}
	for i := range n.fields {
		f := &n.fields[i]
		at := slices.IndexFunc(fields, func(other field[T]) bool { return other.name == f.before })
		if at < 0 {
			at = len(fields)
		}
		fields = slices.Insert(fields, at, *f)
	}
	if of.Version != nil {
		fields = append(fields, version(of.Version))
	}
	if of.File != nil {
		fields = append(fields, attachment[T](of.File)...)
	}
	if n.fields = fields; len(n.fields) > maxFields {
		panic("a noun has too many fields for a field set")
	}
	if n.check == nil {
		n.check = of.Check
	}
	n.at = make(map[string]int, len(n.fields))
	for i, f := range n.fields {
		n.at[f.name] = i
		written := ""
		if f.write != nil {
			written = string(f.write(nil, n.blankRow))
		}
		n.blank = append(n.blank, written)
	}
	tables[of.Noun] = &n
	return &n
}

// fresh is a new record before any line's values: its required instants are now.
func (n *noun[T, C]) fresh(now backoffice.Instant) *T {
	row := new(T)
	for i := range n.Fields {
		if at, ok := n.Fields[i].At.(func(*T) *backoffice.Instant); ok && !n.Fields[i].Optional {
			*at(row) = now
		}
	}
	if n.first != nil {
		n.first(row)
	}
	return row
}

// fieldOf is the field of a line for a field of the domain.
func fieldOf[T any](of *backoffice.WritableField[T], blank *T) field[T] {
	f := kindOf(of, blank)
	f.name, f.shown, f.refers = folderName([]string{of.Name}), of.Name, of.Refers
	switch {
	case f.cell != textCell:
	case strings.HasSuffix(f.name, "Percent"):
		f.cell = percentCell
	case strings.HasSuffix(f.name, "Date"):
		f.cell = dayCell
	}
	return f
}

func kindOf[T any](of *backoffice.WritableField[T], blank *T) field[T] {
	switch at := of.At.(type) {
	case func(*T) *backoffice.Text:
		return text(at)
	case func(*T) *string:
		f := text(at)
		if of.Refers != "" {
			f.targets = func(row *T) []string {
				if *at(row) == "" {
					return nil
				}
				return []string{*at(row)}
			}
		}
		return f
	case backoffice.Word[T]:
		return word(at, at.Get(blank))
	case func(*T) *[]string:
		f := list(at)
		if of.Refers != "" {
			f.targets = func(row *T) []string { return *at(row) }
		}
		return f
	case func(*T) *backoffice.Instant:
		return moment(at, of.Optional)
	case func(*T) *bool:
		return flag(at)
	case func(*T) *float64:
		return number(at)
	case func(*T) *backoffice.JSON:
		return freeForm(at)
	}
	panic("importexport: no line has a field like " + of.Name)
}

// objectField is the field of an object, whose parts are texts of the domain's table. An absent part keeps its value,
// null clears it, and null for the object clears all parts.
func objectField[T any](object string, of []backoffice.WritableField[T]) field[T] {
	parts, at := []string{}, map[string]func(*T) *backoffice.Text{}
	for i := range of {
		if part, ok := strings.CutPrefix(of[i].Name, object+"."); ok {
			parts = append(parts, part)
			at[part] = of[i].At.(func(*T) *backoffice.Text)
		}
	}
	return field[T]{
		name: folderName([]string{object}), shown: object, parts: parts,
		read: func(_ *reading, row *T, value raw) error {
			if value.isNull() {
				for _, at := range at {
					*at(row) = ""
				}
				return nil
			}
			if value[0] != '{' {
				return backoffice.Errorf(backoffice.BadInput, "an %s is an object", object)
			}
			return readObject(value, at, row)
		},
		write: func(out []byte, row *T) []byte {
			for i, part := range parts {
				out = append(out, ",{"[max(0, 1-i)])
				out = append(backoffice.AppendJSONString(out, part), ':')
				out = at[part](row).AppendJSON(out)
			}
			return append(out, '}')
		},
	}
}

func readObject[T any](object raw, at map[string]func(*T) *backoffice.Text, row *T) error {
	seen := map[string]bool{}
	return eachMember(object, func(key, value raw) error {
		name, err := key.text()
		if err != nil {
			return err
		}
		part, known := at[name]
		switch {
		case !known:
			return &nested{shownKey(name), errUnknown}
		case seen[name]:
			return &nested{name, errTwice}
		}
		seen[name] = true
		if err := readText(part(row), value); err != nil {
			return &nested{name, err}
		}
		return nil
	})
}
