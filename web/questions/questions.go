// Package questions are the questions that an office asks of its data, each answered by one query: documents in a
// folder, which the worked queries and the documentation show as they are. It knows nothing of the schema; gateway's
// tests run each of them against a computation of their own.
package questions

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.graphql
var folder embed.FS

type Question struct {
	Name        string // of the file, without number and ending: no-transcript-this-year
	Title       string // a line for a list
	Description string // a sentence or two
	Variables   string // a JSON object that fits the demo's data; "" for none
	Document    string // of one operation, with the comments from which all this was read
}

const variables = "Variables: "

func All() []Question {
	files, _ := folder.ReadDir(".") // which is built in
	all := make([]Question, len(files))
	for i, file := range files {
		text, _ := folder.ReadFile(file.Name())
		_, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), path.Ext(file.Name())), "-")
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
