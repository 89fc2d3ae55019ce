package backoffice

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
)

// TranscriptDiff is how the custom variables of two transcripts differ: each list by key, bytewise.
type TranscriptDiff struct {
	Added   []*TranscriptVariable // only the right one has them
	Removed []*TranscriptVariable // only the left one has them
	Changed []*ChangedVariable
}

// TranscriptVariable is a top-level member of CustomVariables.
type TranscriptVariable struct {
	Key   string
	Value JSONValue
}

type ChangedVariable struct {
	Key         string
	Left, Right JSONValue
}

// JSONValue is a part of a JSON object: any value, as it was written.
type JSONValue string

// DiffVariables compares two transcripts' CustomVariables by key. Values are compared as CustomVariableFilter does:
// numbers by value, so 1 equals 1.0, and objects in any order of their members.
func DiffVariables(left, right JSON) (*TranscriptDiff, error) {
	var before, after map[string]json.RawMessage
	if err := json.Unmarshal([]byte(left.String()), &before); err != nil {
		return nil, Fault(err, "reading custom variables")
	}
	if err := json.Unmarshal([]byte(right.String()), &after); err != nil {
		return nil, Fault(err, "reading custom variables")
	}
	d := &TranscriptDiff{}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		was := before[key]
		is, both := after[key]
		switch {
		case !both:
			d.Removed = append(d.Removed, &TranscriptVariable{key, JSONValue(was)})
		case !sameValue(was, is):
			d.Changed = append(d.Changed, &ChangedVariable{key, JSONValue(was), JSONValue(is)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, both := before[key]; !both {
			d.Added = append(d.Added, &TranscriptVariable{key, JSONValue(after[key])})
		}
	}
	return d, nil
}

func sameValue(left, right json.RawMessage) bool {
	var was, is any
	return bytes.Equal(left, right) || json.Unmarshal(left, &was) == nil && json.Unmarshal(right, &is) == nil &&
		reflect.DeepEqual(was, is)
}

func (v JSONValue) AppendJSON(b []byte) []byte { return append(b, v...) }
func (v JSONValue) MarshalGQL(w io.Writer)     { _, _ = io.WriteString(w, string(v)) }

// UnmarshalGQL is for gqlgen, which needs it of a scalar. No input has such a value.
func (*JSONValue) UnmarshalGQL(any) error {
	return Errorf(BadInput, "a value of any type cannot be given")
}
