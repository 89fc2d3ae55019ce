package backoffice_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAJSONObjectIsKeptWithoutBlanksAndInItsOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                     `{}`,
		" {\n} ":                                 `{}`,
		`{"b": 1, "a": [true, false, null, {}]}`: `{"b":1,"a":[true,false,null,{}]}`,
		`{"b":{"d":1,"c":2},"a":{"z":{"y":1,"x":2}}}`:         `{"b":{"d":1,"c":2},"a":{"z":{"y":1,"x":2}}}`,
		`{"n":[1.0,1.10,1e5,1E+5,-0,12345678901234567890.5]}`: `{"n":[1.0,1.10,1e5,1E+5,-0,12345678901234567890.5]}`,
		`{"\u0061\u00e9":"\/\u003c\ud83d\ude00\u0000\n\"\\"}`: `{"aé":"/<😀\u0000\n\"\\"}`,
		`{"":""}`:                      `{"":""}`,
		`{"é":1,"z":2,"Z":3}`:          `{"é":1,"z":2,"Z":3}`,
		"{\"a\":\"\u2028<&>\x7f\\t\"}": "{\"a\":\"\u2028<&>\x7f\\t\"}",
		`{"a":"\\ud800"}`:              `{"a":"\\ud800"}`,
	} {
		got, err := backoffice.ParseJSON([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

func TestObjectsWithTheSameMembersAreTheSameInWhateverOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                               `{}`,
		`{"b":1,"a":[{"d":1,"c":2},null]}`: `{"a":[{"c":2,"d":1},null],"b":1}`,
		`{"b":{"d":1,"c":2},"a":{"z":{"y":1.0}}}`: `{"a":{"z":{"y":1.0}},"b":{"c":2,"d":1}}`,
		`{"é":1,"z":2,"Z":3}`:                     `{"Z":3,"z":2,"é":1}`,
	} {
		given, sorted := backoffice.JSON(text), backoffice.JSON(want)
		if given.Canonical() != want || sorted.Canonical() != want || !given.SameMembers(sorted) || !sorted.SameMembers(given) {
			t.Errorf("%s comes to %s, not %s", given, given.Canonical(), want)
		}
	}
	var empty backoffice.JSON
	for _, other := range []backoffice.JSON{`{"a":[1,2],"b":1}`, `{"a":[2,1],"b":1.0}`, `{"a":[2,1]}`, `{"a":[2,1],"c":1}`, ""} {
		if other.SameMembers(`{"b":1,"a":[2,1]}`) {
			t.Errorf("%s is taken for another", other)
		}
	}
	if !empty.SameMembers("{}") {
		t.Error("an empty object is not an empty object")
	}
}

func TestWhatIsNoJSONObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `null`, `1`, `"a"`, `[]`, `[{}]`, `true`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":01}`, `{"a":NaN}`, `{"a":1e400}`, `{"a":-0.01e-400}`, `{} {}`, `{}x`,
		`{"a":1]`, `{"a":[1}`, "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}", `{"a":"\u12"}`, `{"a":"\ud800"}`, `{"a":"\udc00"}`, `{"a":"\ud800\u0041"}`, `{"\ud800x":1}`,
		`{"a":1,"a":1}`, `{"a":1,"b":2,"a":3}`, `{"x":{"a":1,"\u0061":2}}`,
		strings.Repeat(`{"a":`, 32) + `{}` + strings.Repeat(`}`, 32),
		`{"a":` + strings.Repeat(`[`, 100_000),
		fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", backoffice.MaxJSON-7)),
	} {
		got, err := backoffice.ParseJSON([]byte(text))
		refused(t, text[:min(len(text), 80)], got, err)
	}
}

func TestAJSONObjectMayBe32LevelsDeepAnd64KiBLong(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat(`{"a":`, 31) + `{}` + strings.Repeat(`}`, 31),
		`{"a":` + strings.Repeat(`[`, 31) + strings.Repeat(`]`, 31) + `}`,
		fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", backoffice.MaxJSON-8)),
	} {
		if got, err := backoffice.ParseJSON([]byte(text)); err != nil || string(got) != text {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
	if _, err := backoffice.ParseJSON([]byte("{" + strings.Repeat(" ", backoffice.MaxJSON) + "}")); err != nil {
		t.Errorf("blanks count: %v", err)
	}
}

func TestTheZeroJSONIsTheEmptyObject(t *testing.T) {
	t.Parallel()
	var zero backoffice.JSON
	var gql bytes.Buffer
	zero.MarshalGQL(&gql)
	data, err := json.Marshal(struct{ A backoffice.JSON }{})
	if err != nil || string(data) != `{"A":{}}` || zero.String() != "{}" || gql.String() != "{}" || string(zero.AppendJSON([]byte("x"))) != "x{}" {
		t.Errorf("%s, %v; %s; %s", data, err, zero, gql.String())
	}
	if err := json.Unmarshal([]byte(`null`), &zero); err != nil || zero != "" {
		t.Errorf("null is %q, %v", zero, err)
	}
}

func TestAFieldOfAnObjectIsReadAndWrittenInItsOrder(t *testing.T) {
	t.Parallel()
	var record struct{ Variables backoffice.JSON }
	if err := json.Unmarshal([]byte(`{"Variables": {"b": 1.0, "a": "é"}}`), &record); err != nil {
		t.Fatal(err)
	}
	var gql bytes.Buffer
	record.Variables.MarshalGQL(&gql)
	data, err := json.Marshal(record)
	if want := `{"b":1.0,"a":"é"}`; err != nil || string(data) != `{"Variables":`+want+`}` || gql.String() != want || record.Variables.String() != want {
		t.Errorf("%s, %v; %s; %s", data, err, gql.String(), record.Variables)
	}
	for _, text := range []string{`{"Variables": []}`, `{"Variables": {"a":1,"a":2}}`} {
		if err := json.Unmarshal([]byte(text), &record); backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAGoValueBecomesTheSameJSON(t *testing.T) {
	t.Parallel()
	value := map[string]any{
		"number": json.Number("1.50"), "int": int64(math.MaxInt64), "float": 0.25, "nothing": nil, "yes": true,
		"list": []any{"<é>", map[string]any{"b": 1, "a": "x"}},
	}
	want := `{"float":0.25,"int":9223372036854775807,"list":["<é>",{"a":"x","b":1}],"nothing":null,"number":1.50,"yes":true}`
	var scalar backoffice.JSON
	if err := scalar.UnmarshalGQL(value); err != nil || string(scalar) != want {
		t.Errorf("got %s, %v", scalar, err)
	}
	if got, err := backoffice.JSONOf(value); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, v := range []any{nil, "{}", []any{}, 1, json.Number("1"), map[string]any{"a": math.NaN()}, map[string]any{"a": json.Number("x")}, map[string]any{"a": func() {}}} {
		if err := scalar.UnmarshalGQL(v); backoffice.KindOf(err) != backoffice.BadInput || err == nil {
			t.Errorf("%v: %v", v, err)
		}
		got, err := backoffice.JSONOf(v)
		refused(t, "a Go value", got, err)
	}
	if string(scalar) != want {
		t.Error("a refused value changes the receiver")
	}
}

func TestEqualObjectsAreEqualBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			value[rapid.String().Draw(t, "key")] = anyJSON(4).Draw(t, "value")
		}
		compact, _ := json.Marshal(value)
		indented, _ := json.MarshalIndent(value, "", "\t")
		a, err := backoffice.ParseJSON(compact)
		if err != nil {
			t.Fatalf("%s: %v", compact, err)
		}
		b, err := backoffice.ParseJSON(indented)
		if err != nil || a != b {
			t.Fatalf("%s and %s, %v", a, b, err)
		}
		var read map[string]any
		decoder := json.NewDecoder(strings.NewReader(string(a)))
		decoder.UseNumber()
		if err := decoder.Decode(&read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value, read); diff != "" {
			t.Fatal(diff)
		}
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(1, kinds).Draw(t, "kind") {
		case 1:
			return nil
		case 2:
			return rapid.Bool().Draw(t, "bool")
		case 3:
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number"))
		case 4:
			return rapid.String().Draw(t, "string")
		case 5:
			list := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "length") {
				list = append(list, anyJSON(depth-1).Draw(t, "item"))
			}
			return list
		}
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			object[rapid.String().Draw(t, "key")] = anyJSON(depth-1).Draw(t, "value")
		}
		return object
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"b":[1.0,{"x":null}],"a":"\u00e9\ud83d\ude00"}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, `[{"a":`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		object, err := backoffice.ParseJSON(data)
		if err != nil {
			refused(t, string(data), object, err)
			return
		}
		if !json.Valid(data) || !json.Valid([]byte(object)) || len(object) > len(data) {
			t.Fatalf("%q gives %q", data, object)
		}
		if again, err := backoffice.ParseJSON([]byte(object)); err != nil || again != object {
			t.Fatalf("%q gives %q, which gives %q, %v", data, object, again, err)
		}
	})
}
