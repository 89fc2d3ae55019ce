package trusted

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/backoffice/backoffice"
)

// Document is one that was read, and not checked.
type Document struct {
	Place   string   // where it was found, for messages
	Text    string   //
	Aliases []string // its identifiers in the manifest, except the digest of the text
}

// maxFile bounds the bytes of a manifest, or of all files of a folder together.
const maxFile = 64 << 20

// Read reads the documents of a manifest (.json), of a GraphQL file, or of all such files (.graphql, .gql) below a
// folder. Errors name the file and the place in it.
func Read(path string) ([]*Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return ReadFolder(os.DirFS(path), path)
	}
	budget := int64(maxFile)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := read(file, path, &budget)
	if err != nil {
		return nil, err
	}
	if !isSource(path) {
		return readManifest(path, content)
	}
	s, err := parseSource(path, string(content))
	if err != nil {
		return nil, err
	}
	return documentsOf([]*source{s})
}

func isSource(path string) bool {
	return strings.HasSuffix(path, ".graphql") || strings.HasSuffix(path, ".gql")
}

// ReadFolder reads the GraphQL files of a folder and its subfolders; messages call it name.
func ReadFolder(folder fs.FS, name string) ([]*Document, error) {
	var sources []*source
	budget := int64(maxFile)
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !isSource(path) {
			return nil
		}
		file, err := folder.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		shown := filepath.Join(name, path)
		content, err := read(file, shown, &budget)
		if err != nil {
			return err
		}
		s, err := parseSource(shown, string(content))
		if err != nil {
			return err
		}
		sources = append(sources, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return documentsOf(sources)
}

// read reads a whole file, within the rest of the budget.
func read(from io.Reader, name string, budget *int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, *budget+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if *budget -= int64(len(content)); *budget < 0 {
		return nil, fmt.Errorf("%s: manifests and folders have at most %d bytes", name, maxFile)
	}
	return content, nil
}

// Problems are the reasons that documents are not trusted, each with its place.
type Problems []string

func (p Problems) Error() string { return strings.Join(p, "\n") }

const mostProblems = 100

// Check checks documents against the checker's schema and limits, and returns them for the store. Errors: Problems.
func Check(checker backoffice.DocumentChecker, documents []*Document) ([]*backoffice.TrustedDocument, error) {
	if len(documents) == 0 {
		return nil, errors.New("it has no documents")
	}
	if len(documents) > backoffice.MaxTrustedDocuments {
		return nil, fmt.Errorf("a set has at most %d documents", backoffice.MaxTrustedDocuments)
	}
	var problems Problems
	checked := make([]*backoffice.TrustedDocument, 0, len(documents))
	for _, d := range documents {
		known, faults := checker.CheckDocument(d.Text, true)
		for _, fault := range faults {
			at := ""
			if fault.Line > 0 {
				at = fmt.Sprintf(": line %d, column %d of the document", fault.Line, fault.Column)
			}
			problems = append(problems, d.Place+at+": "+fault.Message)
		}
		if len(problems) >= mostProblems {
			break
		}
		if known != nil {
			made := known.Document(d.Text)
			made.Aliases = d.Aliases
			checked = append(checked, made)
		}
	}
	if problems != nil {
		return nil, problems
	}
	return checked, nil
}
