package people_test

import (
	"strings"
	"testing"

	"example.org/backoffice/auth/people"
)

func TestAMapThatIsNotExactlyOneIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"no object":                `[]`,
		"two objects":              `{"rules":[{"claim":"a","value":"b"}]}{}`,
		"no rules":                 `{"deny":["x"]}`,
		"rules without any":        `{"rules":[]}`,
		"another member":           `{"rules":[{"claim":"a","value":"b"}],"denied":["secret7"]}`,
		"a member in capitals":     `{"rules":[{"claim":"a","value":"b"}],"Deny":["secret7"]}`,
		"a member twice":           `{"rules":[{"claim":"a","value":"b"}],"deny":["secret7"],"deny":[]}`,
		"a member that is null":    `{"rules":[{"claim":"a","value":"b"}],"deny":null}`,
		"deny as a text":           `{"rules":[{"claim":"a","value":"b"}],"deny":"secret7"}`,
		"an empty subject":         `{"rules":[{"claim":"a","value":"b"}],"deny":[""]}`,
		"a rule that is none":      `{"rules":["secret7"]}`,
		"no claim":                 `{"rules":[{"value":"secret7"}]}`,
		"no value":                 `{"rules":[{"claim":"secret7"}]}`,
		"an empty value":           `{"rules":[{"claim":"secret7","value":""}]}`,
		"a value that is a number": `{"rules":[{"claim":"secret7","value":1}]}`,
		"another scope":            `{"rules":[{"claim":"a","value":"b","scopes":["secret7"]}]}`,
		"a restriction misspelt":   `{"rules":[{"claim":"a","value":"b","onlyLabels":["secret7"]}]}`,
		"a restriction in capital": `{"rules":[{"claim":"a","value":"b","OnlyLabel":["secret7"]}]}`,
		"a restriction of null":    `{"rules":[{"claim":"a","value":"b","onlyLabel":null}]}`,
		"a restriction of nulls":   `{"rules":[{"claim":"a","value":"b","onlyLabel":[null]}]}`,
		"a restriction of nothing": `{"rules":[{"claim":"a","value":"b","onlyLabel":[""]}]}`,
		"a restriction to none":    `{"rules":[{"claim":"a","value":"b","onlyCustomer":[]}]}`,
		"a year that is none":      `{"rules":[{"claim":"a","value":"b","onlyYear":["secret7"]}]}`,
		"an identifier of none":    `{"rules":[{"claim":"a","value":"b","onlyCustomer":["secret 7"]}]}`,
	} {
		m, err := people.ParseMap([]byte(text))
		if err == nil {
			t.Errorf("%s is taken: %+v", name, m)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"the least":   `{"rules":[{"claim":"a","value":"b"}]}`,
		"all of it":   usual,
		"empty lists": `{"rules":[{"claim":"a","value":"b","scopes":[]}],"deny":[]}`,
	} {
		if _, err := people.ParseMap([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add([]byte(usual))
	f.Add([]byte(`{"rules":[{"claim":"a","value":"b","onlyYear":["2025"]}],"deny":["x"]}`))
	f.Add([]byte(`{"rules":[{"claim":"/a/0","value":"b"}],"Deny":["x"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := people.ParseMap(text)
		if (m == nil) == (err == nil) {
			t.Errorf("%v, %v", m, err)
		}
	})
}
