package trusted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// Manifests are JSON: Apollo's list of operations, or an object of texts by their identifiers, as Relay's compiler and
// the client preset of GraphQL Code Generator write it.

const (
	apolloFormat  = "apollo-persisted-query-manifest"
	apolloVersion = 1
)

var errManifest = errors.New("not a manifest: neither Apollo's nor a JSON object of documents by identifier")

func readManifest(file string, content []byte) ([]*Document, error) {
	if !utf8.Valid(content) {
		return nil, fmt.Errorf("%s: it is not valid UTF-8", file)
	}
	var kind struct {
		Format  json.RawMessage `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(content, &kind); err != nil {
		return nil, fmt.Errorf("%s: %w", file, syntaxOf(err))
	}
	var format string
	if json.Unmarshal(kind.Format, &format) == nil && format == apolloFormat {
		if string(kind.Version) != fmt.Sprint(apolloVersion) {
			return nil, fmt.Errorf("%s: only version %d of Apollo's manifests is supported", file, apolloVersion)
		}
		return readApollo(file, content)
	}
	return readMap(file, content)
}

func syntaxOf(err error) error {
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("it is not valid JSON at byte %d", wrong.Offset)
	}
	return errManifest
}

func readApollo(file string, content []byte) ([]*Document, error) {
	var manifest struct {
		Operations []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
			Body string `json:"body"`
		} `json:"operations"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", file, errManifest)
	}
	var found collected
	for i, operation := range manifest.Operations {
		place := fmt.Sprintf("%s: operation %d", file, i+1)
		if operation.Name != "" {
			place += " (" + backoffice.ShownName(operation.Name) + ")"
		}
		if err := found.called(place, operation.ID, operation.Body); err != nil {
			return nil, err
		}
	}
	return found.documents, nil
}

// readMap reads the members one by one, since a duplicate key would hide a text.
func readMap(file string, content []byte) ([]*Document, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("%s: %w", file, errManifest)
	}
	var found collected
	for decoder.More() {
		key, err := decoder.Token()
		id, ok := key.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: %w", file, errManifest)
		}
		value, err := decoder.Token()
		text, ok := value.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: %w", file, errManifest)
		}
		if err := found.called(file+": "+shown(id), id, text); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, errManifest)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, errManifest)
	}
	return found.documents, nil
}

func shown(id string) string {
	if len(id) > 80 {
		return id[:80] + "…"
	}
	return id
}

// collected are a manifest's documents, one for each text, and the document of each identifier.
type collected struct {
	documents []*Document
	byText    map[string]*Document
	byID      map[string]*Document
}

func (c *collected) add(place, text string) *Document {
	if c.byText == nil {
		c.byText, c.byID = map[string]*Document{}, map[string]*Document{}
	}
	d := c.byText[text]
	if d == nil {
		d = &Document{Place: place, Text: text}
		c.byText[text] = d
		c.documents = append(c.documents, d)
	}
	return d
}

func (c *collected) called(place, id, text string) error {
	d := c.add(place, text)
	if err := backoffice.CheckDocumentID(id, text); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	id = backoffice.ParseDocumentID(id)
	if other := c.byID[id]; other != nil && other != d {
		return fmt.Errorf("%s: the identifier is also that of another document, %s", place, other.Place)
	}
	if c.byID[id] = d; id != backoffice.DocumentID(text) && !slices.Contains(d.Aliases, id) {
		d.Aliases = append(d.Aliases, id)
	}
	return nil
}
