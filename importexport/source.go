package importexport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

type source struct {
	name      string
	file      content
	size      int64
	sheet     *sheet // of a spreadsheet, nil for lines of JSON
	temporary string // path of the file when it is ours
}

type content interface {
	io.ReaderAt
	io.Closer
}

// The extensions of a noun's file: lines of JSON, or a spreadsheet.
const (
	endsLines = ".ndjson"
	endsCSV   = ".csv"
	endsXLSX  = ".xlsx"
)

var ends = []string{endsLines, endsCSV, endsXLSX}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// open opens the noun's file; fs.ErrNotExist for none.
func (n *noun[T, C]) open(im *importing) (src source, err error) {
	var file *os.File
	for _, end := range ends {
		src.name = stem(n.file) + end
		if file, err = openRegular(im.folder, src.name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	switch {
	case errors.Is(err, errNotFile):
		return src, fmt.Errorf("%s is not a file", src.name)
	case err != nil:
		return src, cannotRead(src.name, err)
	}
	src.file = file
	defer func() {
		if err != nil {
			src.close()
		}
	}()
	if path.Ext(src.name) == endsXLSX {
		table, err := openWorkbook(file, src.name)
		if err != nil {
			return src, err
		}
		src.close()
		file, src.file, src.temporary = table, table, table.Name()
	}
	info, err := file.Stat()
	if err != nil {
		return src, cannotRead(src.name, err)
	}
	if src.size = info.Size(); path.Ext(src.name) != endsLines {
		src.sheet, err = readSheet(file, src.size, src.name, n.cellOf, im.Mapping[stem(n.file)])
	}
	return src, err
}

func (s *source) close() {
	_ = s.file.Close()
	if s.temporary != "" {
		_ = os.Remove(s.temporary)
	}
}

// rejects is the name of the file for rejected lines: CSV for a workbook.
func (s *source) rejects() string {
	if s.temporary != "" {
		return stem(s.name) + endsCSV
	}
	return s.name
}

// cellOf is the form of a cell with a field, or a part of one.
func (n *noun[T, C]) cellOf(name string) (form cell, known bool) {
	switch name {
	case "_id":
		return textCell, true
	case "_deleted":
		return flagCell, true
	}
	object, part, isPart := strings.Cut(name, ".")
	i, known := n.at[object]
	if !known || isPart != (n.fields[i].parts != nil) {
		return 0, false
	}
	if isPart {
		return textCell, slices.Contains(n.fields[i].parts, part)
	}
	return n.fields[i].cell, true
}

func (s source) lineReader() (lineReader, error) {
	if s.sheet != nil {
		return newCSVRecords(s.file, s.size, s.sheet)
	}
	return newLines(io.NewSectionReader(s.file, 0, s.size)), nil
}

// ParseMapping reads a mapping from JSON: {"customers": {"Klantnaam": "name", "Nota": ""}}.
func ParseMapping(text []byte) (mapping map[string]map[string]string, err error) {
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&mapping); err != nil {
		return nil, errors.New("the mapping must be JSON: " +
			"for each file, without its extension, an object from columns to fields")
	}
	files := inOrder()
	for _, name := range slices.Sorted(maps.Keys(mapping)) {
		at := slices.IndexFunc(files, func(t table) bool { return stem(t.fileName()) == name })
		if at < 0 {
			return nil, fmt.Errorf("the mapping has %s, which import does not read", shownKey(name))
		}
		for _, column := range slices.Sorted(maps.Keys(mapping[name])) {
			if field := mapping[name][column]; field != "" {
				if _, known := files[at].cellOf(field); !known {
					return nil, fmt.Errorf("the mapping maps the column %s of %s to the field %s, "+
						"which does not exist", shownKey(column), name, shownKey(field))
				}
			}
		}
	}
	return mapping, nil
}
