package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/tools/benchmarks/data"
)

// compared is how many of a varying query's answers are compared.
const compared = 5

// values reads an answer as JSON values. It fails when the answer has errors.
func values(a answer) (any, error) {
	var parsed struct {
		Data   any
		Errors []any
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&parsed); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %.300s", a.body)
	}
	if a.status != http.StatusOK || len(parsed.Errors) > 0 || parsed.Data == nil {
		return nil, fmt.Errorf("status %d: %.600s", a.status, a.body)
	}
	return withInstants(parsed.Data), nil
}

// withInstants writes moments alike. PostGraphile, which knows nothing of them, shows the milliseconds that are stored.
func withInstants(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = withInstants(value[i])
		}
	case map[string]any:
		for key, inner := range value {
			if text, ok := inner.(string); ok && key == "updatedAt" {
				if stored, err := strconv.ParseInt(text, 10, 64); err == nil {
					inner = backoffice.InstantAt(stored).String()
				}
			}
			value[key] = withInstants(inner)
		}
	}
	return value
}

// agree checks that all servers give the same answers to a query, and returns how many bytes the first one sends.
func agree(ctx context.Context, servers []*running, q query, office data.Office) (size int, err error) {
	var wanted []any
	var leaves [][]string // of the same answers
	for _, s := range servers {
		if !s.answers(q) {
			continue
		}
		bodies := q.bodies(s.in, office)
		for i := range min(compared, len(bodies)) {
			a, err := s.post(ctx, q, bodies[i*len(bodies)/compared%len(bodies)])
			if err != nil {
				return 0, err
			}
			got, err := values(a)
			if err != nil {
				return 0, fmt.Errorf("%s to %s: %w", q.name, s.title, err)
			}
			flat, err := leavesOf(a.body)
			if err != nil {
				return 0, err
			}
			switch {
			case len(wanted) == i:
				wanted, leaves = append(wanted, got), append(leaves, flat)
				size = len(a.body)
			case s.at == "" && !reflect.DeepEqual(got, wanted[i]):
				return 0, fmt.Errorf("%s is answered otherwise by %s than by %s: %s", q.name, s.title, servers[0].title, difference("data", wanted[i], got))
			case s.at != "" && !slices.Equal(flat, leaves[i]):
				return 0, fmt.Errorf("%s has other values, or in another order, from %s than from %s: %s", q.name, s.title, servers[0].title,
					difference("leaves", leaves[i], flat))
			}
		}
	}
	return size, nil
}

// difference names the first place at which two values differ.
func difference(at string, want, got any) string {
	switch want := want.(type) {
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			for i := range want {
				if !reflect.DeepEqual(want[i], got[i]) {
					return difference(fmt.Sprintf("%s[%d]", at, i), want[i], got[i])
				}
			}
		}
	case []string:
		if got, ok := got.([]string); ok && len(got) == len(want) {
			for i := range want {
				if want[i] != got[i] {
					return difference(fmt.Sprintf("%s[%d]", at, i), any(want[i]), any(got[i]))
				}
			}
		}
	case map[string]any:
		if got, ok := got.(map[string]any); ok && len(got) == len(want) {
			for key := range want {
				if !reflect.DeepEqual(want[key], got[key]) {
					return difference(at+"."+key, want[key], got[key])
				}
			}
		}
	}
	return fmt.Sprintf("%s is %.100v, not %.100v", at, got, want)
}

// leavesOf are the values of an answer in its order, without the objects and lists that hold them.
func leavesOf(body []byte) (leaves []string, err error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	name := ""
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return leaves, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the answer is no JSON: %.300s", body)
		}
		switch kind := token.Kind(); kind {
		case '{', '}', '[', ']':
		default:
			if in, n := decoder.StackIndex(decoder.StackDepth()); in == '{' && n%2 == 1 {
				name = token.String()
				continue
			}
			text := token.String()
			if stored, err := strconv.ParseInt(text, 10, 64); err == nil && name == "updatedAt" {
				text = backoffice.InstantAt(stored).String()
			}
			leaves = append(leaves, text)
		}
	}
}
