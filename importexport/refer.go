package importexport

import (
	"context"
	"fmt"
	"slices"

	"example.org/backoffice/backoffice"
)

// known is what people know of the records that a file refers to, read once for it: an office has few of them.
type known struct {
	own   map[string][]string // of the file's own noun, by key
	nouns map[backoffice.Noun]map[string][]candidate
}

// candidate is a record that a reference may mean.
type candidate struct{ id, year string }

// byID precedes an identifier among what people know: no name begins with it.
const byID = "\x00"

// hints end the reason of a reference that names no record.
var hints = map[backoffice.Noun]string{
	backoffice.NounUser:          "no user has this identifier, e-mail address or name",
	backoffice.NounLabel:         "no label has this identifier or name",
	backoffice.NounChecklist:     "no checklist has this identifier or name",
	backoffice.NounFinancialYear: "no financial year has this identifier or year",
	backoffice.NounCustomer:      "no customer has this identifier or key",
}

// refer replaces the references of lines by identifiers. One that may mean several records is a fault.
func (l *loading[T, C]) refer(ctx context.Context, all []*entry[T]) error {
	for i := len(l.noun.fields) - 1; i >= 0; i-- { // a year before the checklist in it
		f := &l.noun.fields[i]
		if hints[f.refers] == "" {
			continue
		}
		of, err := l.candidates(ctx, f.refers, texts(all, i))
		if err != nil {
			return err
		}
		for _, e := range all {
			for at := len(e.members) - 1; at >= 0; at-- {
				if m := &e.members[at]; m.field == i && !m.value.isNull() {
					l.replace(e, at, of)
				}
			}
		}
	}
	return nil
}

// texts are the values of a field that refers to records.
func texts[T any](all []*entry[T], field int) (values []string) {
	for _, e := range all {
		for _, m := range e.members {
			if m.field == field && !m.value.isNull() {
				values = append(values, m.value.texts()...)
			}
		}
	}
	return values
}

// texts are the strings of a string or a list of strings.
func (r raw) texts() (values []string) {
	add := func(_, value raw) error {
		text, err := value.text()
		values = append(values, text)
		return err
	}
	if r[0] == '[' {
		_ = eachMember(r, add)
	} else {
		_ = add(nil, r)
	}
	return values
}

// replace replaces the texts of a reference. A bad one is a fault, unless the import leaves its field out.
func (l *loading[T, C]) replace(e *entry[T], at int, of map[string][]candidate) {
	m := &e.members[at]
	f := &l.noun.fields[m.field]
	ids := m.value.texts()
	for i, text := range ids {
		found := of[text]
		if year, given := l.yearOf(e); given && f.refers == backoffice.NounChecklist && len(found) > 1 {
			found = slices.DeleteFunc(slices.Clone(found), func(c candidate) bool { return c.year != year })
		}
		var why string
		switch {
		case len(found) == 1:
			ids[i] = found[0].id
			continue
		case len(found) > 1:
			why = fmt.Sprintf("%d records are known by this; give the identifier of one", len(found))
			if f.refers == backoffice.NounChecklist {
				why = fmt.Sprintf("%d checklists have this name; add the financialYear", len(found))
			}
		case l.im.rejected.has(text):
			why = "the " + string(f.refers) + " with this key was rejected"
		default:
			why = hints[f.refers]
		}
		fault := Fault{f.name, why}
		if l.im.repairs[f.name] && l.canLeaveOut(f.name) {
			e.repaired = append(e.repaired, fault)
		} else {
			e.faults = append(e.faults, fault)
		}
		e.given.remove(m.field)
		e.members = slices.Delete(e.members, at, at+1)
		return
	}
	if m.value[0] == '[' {
		m.value = appendTexts(nil, ids)
	} else {
		m.value = backoffice.AppendJSONString(nil, ids[0])
	}
}

// yearOf is the financial year that a line names.
func (l *loading[T, C]) yearOf(e *entry[T]) (id string, given bool) {
	at, has := l.at["financialYear"]
	for _, m := range e.members {
		if has && m.field == at && !m.value.isNull() {
			id, _ = m.value.text()
			return id, true
		}
	}
	return "", false
}

// candidates are the records that texts may mean: by identifier, or by what people know.
func (l *loading[T, C]) candidates(
	ctx context.Context, of backoffice.Noun, texts []string,
) (found map[string][]candidate, err error) {
	found = map[string][]candidate{}
	if of != backoffice.NounCustomer {
		all, err := l.knownOf(ctx, of)
		for _, text := range texts {
			found[text] = slices.Concat(all[byID+text], all[backoffice.FoldKey(text)])
			if same := found[text]; len(same) == 2 && same[0] == same[1] {
				found[text] = same[:1]
			}
		}
		return found, err
	}
	ids := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !backoffice.IsID(text) })
	nouns, err := backoffice.ReadNouns(ctx, l.in, ids)
	if err != nil {
		return nil, err
	}
	for id, noun := range nouns {
		if noun == of {
			found[id] = []candidate{{id: id}}
		}
	}
	if !slices.Contains(backoffice.CustomerKeys, l.im.Key) {
		return found, nil
	}
	byKey, err := backoffice.CustomersBy(ctx, backoffice.CustomerTable.Reader(l.in), l.im.Key, texts)
	for text, ids := range byKey {
		for _, id := range ids {
			if !slices.Contains(found[text], candidate{id: id}) {
				found[text] = append(found[text], candidate{id: id})
			}
		}
	}
	return found, err
}

// knownOf reads the records of a noun that an office has few of, by byID and their identifier, and by what people know.
func (l *loading[T, C]) knownOf(ctx context.Context, of backoffice.Noun) (map[string][]candidate, error) {
	if all := l.known.nouns[of]; all != nil {
		return all, nil
	}
	all := map[string][]candidate{}
	add := func(id, year string, names []string) {
		for _, name := range append(names, byID+id) {
			all[name] = append(all[name], candidate{id, year})
		}
	}
	var err error
	switch of {
	case backoffice.NounUser:
		err = eachOf(ctx, l.in, backoffice.UserTable, func(u *user) { add(u.ID, "", u.LookupKeys()) })
	case backoffice.NounLabel:
		err = eachOf(ctx, l.in, backoffice.LabelTable, func(r *label) { add(r.ID, "", r.LookupKeys()) })
	case backoffice.NounChecklist:
		err = eachOf(ctx, l.in, backoffice.ChecklistTable,
			func(c *checklist) { add(c.ID, c.FinancialYearID, c.LookupKeys()) })
	case backoffice.NounFinancialYear:
		err = eachOf(ctx, l.in, backoffice.FinancialYearTable,
			func(y *financialYear) { add(y.ID, "", y.LookupKeys()) })
	}
	l.known.nouns[of] = all
	return all, err
}

func eachOf[T any, C comparable](
	ctx context.Context, in backoffice.NounReader, of *backoffice.Table[T, C], visit func(*T),
) error {
	list := backoffice.ListQuery[C]{}
	return backoffice.EachPage(ctx, of.Reader(in), list, backoffice.NoParent, 0, func(page []*T) error {
		for _, row := range page {
			visit(row)
		}
		return nil
	})
}
