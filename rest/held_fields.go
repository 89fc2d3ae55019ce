package rest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// heldOf counts the records of a kind, their filled fields and their moments.
type heldOf struct {
	HeldRecords
	in     *Held
	filled map[string]int
}

func (h *holding) begin(noun backoffice.Noun) *heldOf {
	return &heldOf{HeldRecords: HeldRecords{Noun: HeldNoun(noun)}, in: h.all, filled: map[string]int{}}
}

// add counts a record by what is shown of it, so that no field that is shown is forgotten.
func (o *heldOf) add(shown any, file *backoffice.File) {
	o.Count++
	if file != nil {
		o.Files, o.Bytes = o.Files+1, o.Bytes+file.Size
	}
	text, _ := json.Marshal(shown) // as the answer would be
	var fields map[string]any
	_ = json.Unmarshal(text, &fields)
	o.look("", fields)
}

func (o *heldOf) look(within string, fields map[string]any) {
	for name, value := range fields {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			if within == "" && name == "addressFields" {
				o.look(name+".", value)
			} else if len(value) > 0 {
				o.fill(within + name)
			}
		case []any:
			if len(value) > 0 {
				o.fill(within + name)
			}
		case string:
			if value != "" {
				o.fill(within + name)
			}
			o.moment(name, value)
		default:
			o.fill(within + name)
		}
	}
}

func (o *heldOf) fill(name string) { o.filled[name]++ }

// moment widens the span of the records by a moment: of what else looks like one nothing is said.
func (o *heldOf) moment(name, value string) {
	if !strings.HasSuffix(name, "At") && name != "at" && name != "timeCreated" {
		return
	}
	at, err := backoffice.ParseInstant(value)
	if err != nil {
		return
	}
	if o.First.IsZero() || at < o.First {
		o.First = at
	}
	o.Last = max(o.Last, at)
}

func (o *heldOf) end() {
	o.Fields = []HeldField{}
	for _, name := range slices.Sorted(maps.Keys(o.filled)) {
		o.Fields = append(o.Fields, HeldField{name, o.filled[name]})
	}
	o.in.Records = append(o.in.Records, o.HeldRecords)
}
