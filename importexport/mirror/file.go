package mirror

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"example.org/backoffice/files"
)

// file is the file of a record, to be read from the origin.
type file struct {
	path     string // of its bytes; "" for a record that no longer has a file
	metadata string // path of its metadata; "" when the record includes it
	tells    record // its metadata
	has      stored
}

// isStored reports whether the bytes are here already, by their size and digest.
func (f *file) isStored() bool {
	has := f.has.file
	return has != nil && f.tells.number("size") == has.Size && f.tells.text("md5Hash") == has.MD5Hash
}

// attachmentAt makes the file of a record that includes its metadata.
func attachmentAt(before, behind string) func(record, stored) *file {
	return func(r record, has stored) *file {
		f := &file{path: before + url.PathEscape(r.id()) + behind, tells: r, has: has}
		if f.isStored() {
			return nil
		}
		return f
	}
}

// minfinFileOf makes the file of a minfin document. An origin whose list has no metadata has it at another address.
func minfinFileOf(r record, has stored) *file {
	f := attachmentAt("/minfin/download/", "")(r, has)
	if f != nil && r.text("md5Hash") == "" {
		f.metadata = "/minfin/metadata/" + url.PathEscape(r.id())
	}
	return f
}

// documentOf is a transcript's generated document, which the origin shows once the transcript is completed.
func documentOf(r record, has stored) *file {
	switch generated := r.isTrue("documentGenerated"); {
	case !generated && has.file != nil:
		return &file{has: has}
	case !generated, !r.isTrue("isCompleted"), has.isOf(r):
		return nil
	}
	of := "/transcripts/download/" + url.PathEscape(r.id())
	return &file{path: of + "/file", metadata: of + "/metadata", has: has}
}

// proposalOf is a calculation's proposal. A new proposal also updates the calculation.
func proposalOf(r record, has stored) *file {
	switch proposed := r.isTrue("hasProposal"); {
	case !proposed && has.file != nil:
		return &file{has: has}
	case !proposed, has.isOf(r):
		return nil
	}
	return &file{path: "/calculations/files/" + url.PathEscape(r.id()), has: has}
}

// inHand is a folder of this process for files that were read and are not stored yet.
type inHand struct {
	path   string
	folder *os.Root
	remove func()
	made   int
}

func newInHand() (*inHand, error) {
	path, remove, err := files.NewTemp()
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(path)
	if err != nil {
		remove()
		return nil, fmt.Errorf("cannot make a folder for files: %w", err)
	}
	return &inHand{path: path, folder: folder, remove: remove}, nil
}

func (h *inHand) close() {
	_ = h.folder.Close()
	h.remove()
}

func (h *inHand) name() string {
	h.made++
	return fmt.Sprintf("%06d", h.made)
}

// empty removes the files, which are stored by now.
func (h *inHand) empty() {
	entries, _ := os.ReadDir(h.path)
	for _, entry := range entries {
		_ = os.RemoveAll(filepath.Join(h.path, entry.Name()))
	}
}

// fetch reads a record's file into the folder and adds its path to the line. there reports whether the origin has it.
func (o *origin) fetch(ctx context.Context, f *file, to *inHand, name string, line record) (there bool, err error) {
	if f.path == "" {
		line["file"] = jsonNull
		return true, nil
	}
	if f.metadata != "" {
		status, err := o.get(ctx, f.metadata, nil, answerTime, func(r *http.Response) error {
			var told record
			if err := decode(r, &told); err != nil {
				return err
			}
			if told.number("size") < 0 && told.text("md5Hash") == "" {
				return errMalformed
			}
			if name := f.tells["name"]; name != nil {
				told["name"] = name
			}
			f.tells = told
			return nil
		})
		if err != nil || status != http.StatusOK && f.tells == nil {
			return false, err
		}
		if created := f.tells.moment("timeCreated"); created != 0 {
			line["timeCreated"] = f.tells["timeCreated"]
		}
		if f.isStored() {
			return true, nil
		}
	}
	status, err := o.get(ctx, f.path, nil, fileTime, func(r *http.Response) error {
		place := files.TypedName(name, cmp.Or(f.tells.text("contentType"), r.Header.Get("Content-Type")))
		line["file"], _ = json.Marshal(place)
		content := bufio.NewReader(r.Body)
		begins, _ := content.Peek(1024)
		if !f.mayBe(r.Header.Get("Content-Type"), begins) {
			return errMalformed
		}
		return f.save(to.folder, place, content)
	})
	if err != nil || status != http.StatusOK {
		delete(line, "file")
		return false, err
	}
	return true, nil
}

// beginnings are the first bytes of files, by the extension of their name.
var beginnings = map[string]string{
	".pdf": "%PDF-", ".png": "\x89PNG", ".jpg": "\xff\xd8\xff", ".jpeg": "\xff\xd8\xff",
	".zip": "PK", ".docx": "PK", ".xlsx": "PK",
}

// mayBe reports whether an answer can be the file, judging one without a known digest by its type and its first bytes:
// a proxy answers with its own page, such as a login or an error.
func (f *file) mayBe(contentType string, begins []byte) bool {
	ending := strings.ToLower(path.Ext(f.tells.text("name")))
	told := cmp.Or(f.tells.text("contentType"), mime.TypeByExtension(ending))
	if f.tells.text("md5Hash") != "" {
		return true
	}
	for _, page := range []string{"text/html", "application/json"} {
		is := strings.HasPrefix(contentType, page) || strings.HasPrefix(http.DetectContentType(begins), page)
		if is && !strings.HasPrefix(told, page) {
			return false
		}
	}
	return len(begins) == 0 || bytes.Contains(begins, []byte(beginnings[ending]))
}

// save writes the content and checks it against the metadata.
func (f *file) save(folder *os.Root, name string, content io.Reader) error {
	to, err := folder.Create(name)
	if err != nil {
		return err
	}
	digest := md5.New() // the digest in the specification's metadata
	want := f.tells.number("size")
	if want >= 0 {
		content = io.LimitReader(content, int64(want)+1)
	}
	size, err := io.Copy(io.MultiWriter(to, digest), content)
	if err = cmp.Or(err, to.Close()); err != nil {
		return err
	}
	if want >= 0 && int64(want) != size {
		return io.ErrUnexpectedEOF
	}
	if want := f.tells.text("md5Hash"); want != "" && want != base64.StdEncoding.EncodeToString(digest.Sum(nil)) {
		return errMalformed
	}
	return nil
}
