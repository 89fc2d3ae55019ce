package importexport

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
)

const (
	pageRows    = 1000 // records read at a time
	filesFolder = "files"
)

// dump writes the noun's records in the order of their identifiers.
func (n *noun[T, C]) dump(ctx context.Context, ex *exporting) (Dumped, error) {
	dumped := Dumped{File: n.file}
	file, err := ex.folder.OpenFile(n.file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return dumped, cannotWrite(n.file, err)
	}
	defer func() { _ = file.Close() }()
	rows := n.Reader(ex.reads)
	all, err := backoffice.CountAll(ctx, rows, *new(C))
	if err != nil {
		return dumped, err
	}
	out := bufio.NewWriterSize(file, 256<<10)
	ask := backoffice.ListQuery[C]{Window: backoffice.Window{Limit: pageRows}}
	err = backoffice.EachPage(ctx, rows, ask, backoffice.NoParent, 0, func(page []*T) error {
		if err := n.dumpPage(ctx, ex, out, page, &dumped); err != nil {
			return err
		}
		if ex.Progress != nil {
			done := int64(dumped.Records)
			ex.Progress(Progress{File: n.file, Records: dumped.Records, Done: done, Size: max(done, int64(all))})
		}
		return nil
	})
	if err != nil {
		return dumped, err
	}
	if err := cmp.Or(out.Flush(), file.Sync(), file.Close()); err != nil {
		return dumped, cannotWrite(n.file, err)
	}
	return dumped, nil
}

func (n *noun[T, C]) dumpPage(ctx context.Context, ex *exporting, out *bufio.Writer, page []*T, dumped *Dumped) error {
	numbers, err := n.reveal(ctx, ex, page)
	if err != nil {
		return err
	}
	var line []byte
	for i, row := range page {
		if row, err = n.copyFile(ctx, ex, row); err != nil {
			return fmt.Errorf("the file of the %s %s: %w", n.Noun, *n.ID(page[i]), err)
		}
		if row == nil {
			continue
		}
		if n.dumped != nil {
			row = n.dumped(*row)
		}
		line = backoffice.AppendJSONString(append(line[:0], `{"_id":`...), *n.ID(row))
		for j := range n.fields {
			f := &n.fields[j]
			switch {
			case f.write != nil:
				line = f.write(appendKey(line, f.name), row)
			case f.secret != "" && ex.numbers:
				line = numbers[i][f.secret].AppendJSON(appendKey(line, f.name))
			}
		}
		if n.File != nil {
			line = n.dumpFile(line, row, dumped)
		}
		line = append(line, '}', '\n')
		if _, err := out.Write(line); err != nil {
			return cannotWrite(n.file, err)
		}
		dumped.Records++
	}
	return nil
}

func appendKey(line []byte, name string) []byte {
	return append(append(append(line, ',', '"'), name...), '"', ':')
}

type revealed = map[backoffice.PrivacyField]backoffice.Text

// reveal opens the registration numbers of a page, if wanted, and records that in the register.
func (n *noun[T, C]) reveal(ctx context.Context, ex *exporting, page []*T) ([]revealed, error) {
	if !ex.numbers || n.sealed == nil {
		return nil, nil
	}
	var asks []privacy.SealedNumber
	for _, row := range page {
		for _, secret := range backoffice.AllPrivacyFields {
			sealed := privacy.SealedNumber{CustomerID: *n.ID(row), Field: secret, Number: *n.sealed(row, secret)}
			asks = append(asks, sealed)
		}
	}
	opened, err := privacy.Reveal(ctx, asks)
	if err == nil {
		err = backoffice.CommitLedger(ctx)
	}
	if err != nil {
		return nil, err
	}
	numbers := make([]revealed, len(page))
	for i := range page {
		numbers[i] = revealed{}
		for j, secret := range backoffice.AllPrivacyFields {
			if number := opened[i*len(backoffice.AllPrivacyFields)+j]; number != nil {
				numbers[i][secret] = backoffice.Text(*number)
			}
		}
	}
	return numbers, nil
}

// copyFile copies a record's file into the folder, the present one if that was replaced after the export began. It
// returns the record with it, without one if it was deleted, or nil if the record must have one.
func (n *noun[T, C]) copyFile(ctx context.Context, ex *exporting, row *T) (*T, error) {
	for n.File != nil && *n.File(row) != nil {
		file, id := *n.File(row), *n.ID(row)
		err := ex.copyFile(ctx, n.filePath(row), file)
		if backoffice.KindOf(err) != backoffice.NotFound {
			return row, err
		}
		found, failed := backoffice.ReadByID(ctx, n.Reader(ex.Store), []string{id}, 0)
		if failed != nil {
			return row, failed
		}
		var present *backoffice.File
		if now := found[id]; now != nil {
			present = *n.File(now)
		}
		if present != nil && present.Key == file.Key {
			return row, err
		}
		if present == nil && slices.Contains(n.required(), "file") {
			return nil, nil
		}
		changed := *row
		row = &changed
		*n.File(row) = present
	}
	return row, nil
}

func (n *noun[T, C]) filePath(row *T) string {
	name := files.TypedName(*n.ID(row), (*n.File(row)).ContentType)
	return path.Join(filesFolder, strings.TrimSuffix(n.file, ".ndjson"), name)
}

// dumpFile writes the path of a record's file, and its metadata.
func (n *noun[T, C]) dumpFile(line []byte, row *T, dumped *Dumped) []byte {
	file := *n.File(row)
	if file == nil {
		return append(line, `,"file":null`...)
	}
	dumped.Stored++
	line = backoffice.AppendJSONString(append(line, `,"file":`...), n.filePath(row))
	line = backoffice.AppendJSONString(append(line, `,"contentType":`...), file.ContentType)
	line = strconv.AppendInt(append(line, `,"size":`...), int64(file.Size), 10)
	line = backoffice.AppendJSONString(append(line, `,"md5Hash":`...), file.MD5Hash)
	return file.TimeCreated.AppendJSON(append(line, `,"timeCreated":`...))
}

func (ex *exporting) copyFile(ctx context.Context, name string, of *backoffice.File) (err error) {
	local := filepath.FromSlash(name)
	if err := ex.folder.MkdirAll(filepath.Dir(local), 0o700); err != nil {
		return cannotWrite(filesFolder, err)
	}
	// Exclusive: on a file system that ignores case, two records could share a name.
	file, err := ex.folder.OpenFile(local, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return cannotWrite(filesFolder, err)
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	wrong, err := files.VerifiedCopy(ctx, file, ex.Files, *of)
	if backoffice.KindOf(err) == backoffice.NotFound {
		err = cmp.Or(file.Close(), ex.folder.Remove(local), err)
	}
	if wrong != "" {
		err = errors.New("its bytes are not those that were stored: restore it from a backup (see backoffice check)")
	}
	return err
}
