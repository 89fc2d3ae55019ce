package mirror

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// record is an object of the origin, by the names of its fields.
type record map[string]json.RawMessage

func (r record) id() string { return r.text("_id") }

// text is a field that is a string, "" for any other.
func (r record) text(name string) (text string) {
	_ = json.Unmarshal(r[name], &text)
	return text
}

func (r record) isTrue(name string) bool { return string(r[name]) == "true" }

// number is a field that is a whole number, -1 for any other.
func (r record) number(name string) int {
	n := -1
	_ = json.Unmarshal(r[name], &n)
	return n
}

// moment is a field that is an instant, zero for any other.
func (r record) moment(name string) (at backoffice.Instant) {
	_ = at.UnmarshalJSON(r[name])
	return at
}

var (
	jsonNull  = json.RawMessage("null")
	emptyText = []byte(`""`)
)

// keep reduces the record to its identifier and the fields that a line may have. Empty texts become null.
func (r record) keep(names []string) {
	for name, value := range r {
		switch {
		case name != "_id" && !slices.Contains(names, name):
			delete(r, name)
		case bytes.Equal(value, emptyText):
			r[name] = jsonNull
		case name == "addressFields" && bytes.Contains(value, emptyText):
			var parts map[string]json.RawMessage
			if json.Unmarshal(value, &parts) == nil {
				for part, text := range parts {
					if bytes.Equal(text, emptyText) {
						parts[part] = jsonNull
					}
				}
				r[name], _ = json.Marshal(parts)
			}
		}
	}
}

// line is the record as a line of an import, with its line feed.
func (r record) line() []byte {
	line, _ := json.Marshal(map[string]json.RawMessage(r)) // every value was read
	return append(line, '\n')
}

type page struct {
	Total   *int      `json:"total"`
	Count   *int      `json:"count"`
	Data    []record  `json:"data"`
	asked   time.Time // when the request was sent, at the earliest
	unnamed []int     // places on the page, from 1, of records without an identifier, which Data lacks
}

// placeOnPage is the field with a record's place on the page, from 1. No line has such a field.
const placeOnPage = ""

// size is the number of records on the page, including those without an identifier.
func (p *page) size() int { return len(p.Data) + len(p.unnamed) }

// read reads a page into *p, which an error leaves unchanged.
func (p *page) read(response *http.Response) error {
	var read page
	if err := decode(response, &read); err != nil {
		return err
	}
	if read.Total == nil || *read.Total < 0 || read.Data == nil || read.Count != nil && *read.Count != len(read.Data) {
		return errMalformed
	}
	at := 0
	read.Data = slices.DeleteFunc(read.Data, func(r record) bool {
		if at++; r.id() == "" { // also null
			read.unnamed = append(read.unnamed, at)
			return true
		}
		r[placeOnPage] = json.RawMessage(strconv.Itoa(at))
		return false
	})
	read.asked = p.asked
	*p = read
	return nil
}

// decode reads an answer other than a file. It tells bad JSON from a failed connection.
func decode(response *http.Response, into any) error {
	err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(into)
	switch err.(type) {
	case *json.SyntaxError, *json.UnmarshalTypeError:
		return errMalformed
	}
	return err
}
