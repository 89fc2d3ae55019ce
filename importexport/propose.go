package importexport

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

//go:embed headers.csv
var headersCSV string

// headers has the field for what offices call a column, by file and plain word.
var headers = map[string]map[string]string{}

func init() {
	rows, err := csv.NewReader(strings.NewReader(headersCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("headers.csv: %v", err)) // compiled in: only a faulty build gets here
	}
	for _, row := range rows[1:] {
		if headers[row[0]] == nil {
			headers[row[0]] = map[string]string{}
		}
		for word := range strings.SplitSeq(row[2]+"|"+row[1], "|") {
			if word = backoffice.NormalizeWord(word); headers[row[0]][word] == "" {
				headers[row[0]][word] = row[1]
			}
		}
	}
}

// Proposal is a mapping for a file with columns of its own, to look over.
type Proposal struct {
	Mapping []byte   // JSON for ParseMapping
	Notes   []string // what to look at
	Key     string   // for --key
}

// Propose looks at a spreadsheet and proposes its mapping. It proposes nothing that it is not sure of.
func Propose(path string, language backoffice.LabelLanguage) (*Proposal, error) {
	src := source{name: filepath.Base(path)}
	if end(src.name) == endsLines || !slices.Contains(append(endsOfText, ends...), end(src.name)) {
		return nil, notRead(src.name)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, cannotRead(src.name, err)
	}
	defer func() { _ = root.Close() }()
	file, err := openRegular(root, src.name)
	if err != nil {
		return nil, cannotRead(src.name, err)
	}
	src.file = file
	defer func() { src.close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, cannotRead(src.name, err)
	}
	src.size = info.Size()
	if err := src.openSheet(file); err != nil {
		return nil, err
	}
	p := &proposing{src: &src, rules: rulesIn(language)}
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", src.name, err)
	}
	return p.proposal(), nil
}

type proposing struct {
	src     *source
	rules   map[string]func(text string) error
	file    string // whose records these are
	columns []*proposed
	notes   []string
}

// proposed is a column, with what its cells have.
type proposed struct {
	name, field string
	rows, told  int            // all, and those with a value
	fits        map[string]int // by field, how many values its rule takes
	words       map[string]int // different values, when they are few
	empty       []bool         // by row
	numbered    int            // values that begin with a postal code
}

func (p *proposing) table() table { return tables[nounOfFile(p.file)] }

// meant is the field of a column's name, which may be the field's own, or a word that offices have for it.
func (p *proposing) meant(name string) string {
	if _, known := p.table().cellOf(name); known {
		return name
	}
	return headers[p.file][backoffice.NormalizeWord(name)]
}

// read reads the header and the cells.
func (p *proposing) read() error {
	known := func(name string) bool { return p.meant(name) != "" }
	files := append([]string{"customers", "users", "relations"}, stems()...) // of a tie the first wins
	if own := strings.ToLower(stem(p.src.name)); slices.Contains(files, own) {
		files = []string{own}
	}
	best, file := 0, ""
	var names []string
	s := p.src.sheet
	for _, p.file = range files {
		s.start, s.before, s.width = 0, 0, 0
		found, _, err := s.findHeader(p.src.file, p.src.size, known)
		if err != nil {
			return err
		}
		fields := backoffice.Map(found, p.meant)
		n := 0
		for _, field := range fields {
			if field != "" {
				n += 2
			}
		}
		missing := func(field string) bool { return !slices.Contains(fields, field) }
		if !slices.ContainsFunc(p.table().required(), missing) {
			n++
		}
		if n > best {
			best, names, file = n, found, p.file
		}
	}
	if names == nil {
		return errors.New("no row names columns that import knows; add a row with the names of the fields")
	}
	p.file, s.start, s.before, s.width = file, 0, 0, 0
	if _, _, err := s.findHeader(p.src.file, p.src.size, known); err != nil {
		return err
	}
	for _, name := range names {
		p.columns = append(p.columns, &proposed{
			name: name, field: p.meant(name),
			fits: map[string]int{}, words: map[string]int{},
		})
	}
	for r := newCSVRecords(p.src.file, p.src.size, s); ; {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return err
		}
		if values, why := s.values(text); err == nil && why == "" {
			for i, c := range p.columns {
				c.look(meantText(strings.TrimSpace(values[i])), p.rules)
			}
		}
	}
}

// rulesIn are the fields whose values can be told from others.
func rulesIn(language backoffice.LabelLanguage) map[string]func(text string) error {
	worded := func(field string) func(string) error {
		return func(text string) error {
			if _, known := backoffice.OfficeWord(field, text, language); !known {
				return errUnknown
			}
			return nil
		}
	}
	return map[string]func(text string) error{
		"kboNumber": func(text string) error { _, err := backoffice.ParseKBONumber(text); return err },
		"email":     func(text string) error { _, err := backoffice.ParseEmail(text); return err },
		"phone":     func(text string) error { _, err := backoffice.ParsePhone(text); return err },
		"registrationNumber": func(text string) error {
			_, err := backoffice.ParseNationalNumber(text, time.Now())
			return err
		},
		"type": worded("type"), "companyType": worded("companyType"),
		"language": worded("language"), "kind": worded("kind"),
	}
}

const mostWords = 40 // different values of a column whose values may be shown

var postalCode = regexp.MustCompile(`^[0-9]{4}\s`)

func (c *proposed) look(text string, rules map[string]func(text string) error) {
	c.rows++
	c.empty = append(c.empty, text == "")
	if text == "" {
		return
	}
	c.told++
	if postalCode.MatchString(text) {
		c.numbered++
	}
	for field, rule := range rules {
		if wanted := c.field == field || c.field == "" && (field == "kboNumber" || field == "email"); wanted &&
			rule(text) == nil {
			c.fits[field]++
		}
	}
	if len(c.words) <= mostWords {
		c.words[text]++
	}
}

func (p *proposing) notef(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// of is the first column for a field, nil for none.
func (p *proposing) of(field string) *proposed {
	for _, c := range p.columns {
		if c.field == field {
			return c
		}
	}
	return nil
}

func (p *proposing) proposal() *Proposal {
	p.notes = append(p.notes, p.src.notes...)
	for i, c := range p.columns {
		c.field = p.sure(c, p.columns[:i])
	}
	if p.file == "customers" {
		p.names()
	}
	out := []byte("{\"" + p.file + "\": {")
	add := func(key, value string) {
		if out[len(out)-1] != '{' {
			out = append(out, ',')
		}
		out = append(append(backoffice.AppendJSONString(append(out, "\n  "...), key), ": "...), value...)
	}
	for i, c := range p.columns {
		same := func(other *proposed) bool { return other.name == c.name }
		if c.name == "" || slices.ContainsFunc(p.columns[:i], same) {
			continue
		}
		if slices.ContainsFunc(p.columns[i+1:], same) {
			p.notef("several columns are called %s, and are skipped: give each another name", shownKey(c.name))
			c.field = ""
		}
		field, _ := json.Marshal(c.field)
		add(c.name, string(field))
	}
	if p.file == "customers" && p.of("type") == nil {
		kbo := p.of("kboNumber")
		if kbo != nil && kbo.told == kbo.rows && kbo.fits["kboNumber"] == kbo.told {
			add("type", `{"*": "Company"}`)
			p.notef("no column has the type; every row has a KBO number, so all become companies")
		} else {
			p.notef(`no column has the type: add "type": {"*": "Company"} or {"*": "Private Person"}, or a column`)
		}
	}
	out = append(out, "\n}}\n"...)
	key := "customerCode"
	if p.of(key) == nil && p.of("kboNumber") != nil {
		key = "kboNumber"
	}
	return &Proposal{out, p.notes, key}
}

// sure is the field of a column, "" when its cells or another column speak against it.
func (p *proposing) sure(c *proposed, before []*proposed) string {
	field := c.field
	if field == "" && c.told > 2 {
		for _, other := range []string{"kboNumber", "email"} {
			_, known := p.table().cellOf(other)
			if known && c.fits[other] == c.told && p.of(other) == nil {
				field = other
			}
		}
	}
	if n := len(before); n > 0 && before[n-1].field == "addressFields.street" && field == "customerCode" {
		word := backoffice.NormalizeWord(c.name)
		twice := func(other *proposed) bool { return other != c && other.field == field }
		if (word == "nr" || word == "nummer") && slices.ContainsFunc(p.columns, twice) {
			field = "addressFields.houseNumber"
		}
	}
	rule, has := p.rules[field]
	has = has && headers[p.file] != nil // a discrepancy's kind is no relation's
	switch {
	case c.name == "":
		if c.told > 0 {
			p.notef("column %d has values but no name", len(before)+1)
		}
		return ""
	case field == "":
		p.notef("column %s is skipped: map it to a field if it has one", shownKey(c.name))
	case slices.ContainsFunc(before, func(other *proposed) bool { return other.field == field }),
		c.name != field && slices.ContainsFunc(p.columns, func(other *proposed) bool { return other.name == field }):
		p.notef("column %s is skipped: another column is the %s", shownKey(c.name), field)
		return ""
	case field == "addressFields.city" && c.numbered > 0:
		p.notef("column %s is skipped: it has postal code and city together; split it", shownKey(c.name))
		return ""
	case has && rule != nil && 2*c.fits[field] < c.told:
		p.notef("column %s is skipped: most of its values are no %s", shownKey(c.name), field)
		return ""
	case has && c.fits[field] < c.told:
		p.notef("%s", p.strange(c, field))
	}
	return field
}

// strange tells the values that a field will not take, if they are words.
func (p *proposing) strange(c *proposed, field string) string {
	text := fmt.Sprintf("column %s: %s that the field %s does not take, whose lines will be rejected",
		shownKey(c.name), backoffice.Plural(c.told-c.fits[field], "value", "values"), field)
	if field == "kboNumber" || field == "email" || field == "phone" || field == "registrationNumber" ||
		len(c.words) > mostWords {
		return text
	}
	var words []string
	for word := range c.words {
		if p.rules[field](word) != nil {
			words = append(words, shownKey(word))
		}
	}
	slices.Sort(words)
	return text + ": " + strings.Join(words, ", ") + "; add them as \"" + field + "\": {\"…\": \"…\"}"
}

// names decides whether a column is the name of all, or the last name of persons who have a first name too.
func (p *proposing) names() {
	first, name := p.of("firstName"), p.of("name")
	if first == nil || name == nil || p.of("lastName") != nil || first.name == first.field {
		return
	}
	if slices.Contains(first.empty, true) {
		p.notef("column %s is skipped: it has names of companies and last names of persons; split it",
			shownKey(name.name))
		name.field = ""
		return
	}
	name.field = "lastName"
}

func nounOfFile(name string) backoffice.Noun {
	for noun, t := range tables {
		if stem(t.fileName()) == name {
			return noun
		}
	}
	return ""
}
