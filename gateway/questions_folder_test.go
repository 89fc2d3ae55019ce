package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// question is one that an office asks of its data, answered by one query: a document of web/questions, which the
// worked queries and the documentation show as it is.
type question struct {
	Name        string // of the file, without number and ending: no-transcript-this-year
	Title       string // a line for a list
	Description string // a sentence or two
	Variables   string // a JSON object that fits the demo's data; "" for none
	Document    string // of one operation, with the comments from which all this was read
}

func questions(t *testing.T) []question {
	t.Helper()
	const variables = "Variables: "
	files, err := filepath.Glob("../web/questions/*.graphql")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]question, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".graphql"), "-")
		all[i] = question{Name: name, Document: string(text)}
		for line := range strings.Lines(string(text)) {
			comment, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
			if !ok {
				break
			}
			of := &all[i]
			switch values, isVariables := strings.CutPrefix(comment, variables); {
			case isVariables:
				of.Variables = values
			case of.Title == "":
				of.Title = comment
			default:
				of.Description = strings.TrimSpace(of.Description + " " + comment)
			}
		}
	}
	return all
}

func TestEachQuestionHasATitleADescriptionAndOneOperation(t *testing.T) {
	t.Parallel()
	all := questions(t)
	if len(all) != 13 {
		t.Errorf("there are %d questions", len(all))
	}
	names := map[string]bool{}
	for _, q := range all {
		var variables map[string]any
		if q.Title == "" || q.Description == "" || names[q.Name] || strings.Count(q.Document, "\nquery ") != 1 {
			t.Errorf("%+v", q)
		}
		if required := strings.Contains(q.Document, "!,") || strings.Contains(q.Document, "!)"); required || q.Variables != "" {
			if err := json.Unmarshal([]byte(q.Variables), &variables); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
		names[q.Name] = true
	}
}
