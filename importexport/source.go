package importexport

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	isBook    bool
	notes     []string // how the file was read, for the report
	again     bool     // what an undo cannot delete is tried again later
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
func end(name string) string  { return strings.ToLower(path.Ext(name)) }

// open opens the noun's file; fs.ErrNotExist for none.
func (n *noun[T, C]) open(im *importing) (src source, err error) {
	if src.name = im.files[stem(n.file)]; src.name == "" {
		return src, fs.ErrNotExist
	}
	file, err := openRegular(im.folder, src.name)
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
	info, err := file.Stat()
	if err != nil {
		return src, cannotRead(src.name, err)
	}
	if src.size = info.Size(); end(src.name) == endsLines {
		return src, nil
	}
	if err := src.openSheet(file); err != nil {
		return src, err
	}
	src.sheet.doubts = im.Key != ""
	return src, readSheet(&src, n.cellOf, im.Mapping[stem(n.file)], im.Language)
}

// openSheet makes the source the text of a spreadsheet in UTF-8.
func (s *source) openSheet(file *os.File) (err error) {
	s.sheet = &sheet{comma: ','}
	var text *os.File
	var note string
	if s.isBook = end(s.name) == endsXLSX; s.isBook {
		text, s.sheet.rows, note, err = openWorkbook(file, s.name)
		s.sheet.ragged = true
	} else {
		text, note, err = decoded(file, s.size, s.name)
	}
	if note != "" {
		s.notes = append(s.notes, note)
	}
	if err != nil || text == file {
		return err
	}
	s.close()
	s.file, s.temporary = text, text.Name()
	info, err := text.Stat()
	if err != nil {
		return cannotRead(s.name, err)
	}
	s.size = info.Size()
	return nil
}

func (s *source) close() {
	_ = s.file.Close()
	if s.temporary != "" {
		_ = os.Remove(s.temporary)
	}
}

// rejects is the name of the file for rejected lines: CSV for a workbook.
func (s *source) rejects() string {
	if s.isBook {
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

func (s source) lineReader() lineReader {
	if s.sheet != nil {
		return newCSVRecords(s.file, s.size, s.sheet)
	}
	return newLines(io.NewSectionReader(s.file, 0, s.size))
}
