package gatewaytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Question is one that an office asks of its data, answered by one query: a document of web/questions, which the
// worked queries and the documentation show as it is.
type Question struct {
	Name        string // of the file, without number and ending: no-transcript-this-year
	Title       string // a line for a list
	Description string // a sentence or two
	Variables   string // a JSON object that fits the demo's data; "" for none
	Document    string // of one operation, with the comments from which all this was read
}

// Questions are those of web/questions, in their order.
func Questions(t *testing.T) []Question {
	t.Helper()
	const variables = "Variables: "
	files, err := filepath.Glob(Path("web", "questions", "*.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]Question, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".graphql"), "-")
		all[i] = Question{Name: name, Document: string(text)}
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
