package evidence

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.org/backoffice/backoffice"
)

//go:embed verify.html
var page []byte

// Draft is a pack before it is sent. What is made for it is in a temporary file, so that nobody who reads slowly holds
// up the store; stored files stay where they are. Close it.
type Draft struct {
	spool   *os.File
	written int64
	parts   []part
	names   map[string]bool
}

// part is an entry to come: length bytes of the spool, a stored file, or a secret.
type part struct {
	name           string
	offset, length int64
	file           *backoffice.File
	secret         []byte // neither on a disk nor compressed
}

func NewDraft() (*Draft, error) {
	spool, err := os.CreateTemp("", "backoffice-evidence-") // mode 0600
	if err != nil {
		return nil, backoffice.Fault(err, "making a pack")
	}
	_ = os.Remove(spool.Name()) // where the system allows it, nothing is left of a killed process
	return &Draft{spool: spool, names: map[string]bool{}}, nil
}

func (d *Draft) Close() {
	_ = d.spool.Close()
	_ = os.Remove(d.spool.Name())
}

// Add adds an entry with what write writes.
func (d *Draft) Add(name string, write func(io.Writer) error) error {
	p := part{name: name, offset: d.written}
	if err := write(spooling{d}); err != nil {
		return err
	}
	p.length = d.written - p.offset
	return d.note(p)
}

// AddBytes adds an entry with this content.
func (d *Draft) AddBytes(name string, content []byte) error {
	return d.Add(name, func(w io.Writer) error { _, err := w.Write(content); return err })
}

// AddSecret adds an entry that stays in memory, and whose compressed size would reveal something of it.
func (d *Draft) AddSecret(name string, content []byte) error {
	return d.note(part{name: name, secret: content})
}

// AddFile adds an entry with the bytes of a stored file, which are read when the pack is sent.
func (d *Draft) AddFile(name string, file *backoffice.File) error {
	return d.note(part{name: name, file: file, length: int64(file.Size)})
}

func (d *Draft) note(p part) error {
	if d.names[p.name] {
		return backoffice.Fault(fmt.Errorf("the pack has two entries %q", p.name), "making a pack")
	}
	d.names[p.name] = true
	d.parts = append(d.parts, p)
	return nil
}

type spooling struct{ *Draft }

func (s spooling) Write(b []byte) (int, error) {
	n, err := s.spool.Write(b)
	s.written += int64(n)
	if err != nil {
		err = backoffice.Fault(err, "making a pack")
	}
	return n, err
}

// Send writes the pack. It completes the manifest by the entries, in the order in which they were added, and by the
// key. A stored file that is not what was stored is an error, like any that ctx, w or the files return.
func (d *Draft) Send(ctx context.Context, w io.Writer, files backoffice.FileStore, m Manifest, key ed25519.PublicKey,
	by Signer) error {
	if err := d.AddBytes(KeyName, EncodeKey(key)); err != nil {
		return err
	}
	if err := d.AddBytes(PageName, page); err != nil {
		return err
	}
	day, err := time.Parse(time.DateOnly, m.To)
	if err != nil {
		return backoffice.Fault(err, "making a pack")
	}
	s := &sending{ctx: ctx, draft: d, files: files, zip: zip.NewWriter(w), day: day, buffer: make([]byte, 64<<10)}
	m.Format, m.Key, m.Entries = Format, Fingerprint(key), make([]Entry, len(d.parts))
	if m.LeftOut == nil {
		m.LeftOut = []Part{}
	}
	for i, p := range d.parts {
		if m.Entries[i], err = s.send(p); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if err := WriteJSON(&text, m); err != nil {
		return backoffice.Fault(err, "making a pack")
	}
	signature, err := by.Sign(text.Bytes())
	if err != nil {
		return backoffice.Fault(err, "signing a pack")
	}
	for _, last := range []struct {
		name    string
		content []byte
	}{{ManifestName, text.Bytes()}, {SignatureName, signature}} {
		if _, err := s.copy(part{name: last.name}, bytes.NewReader(last.content)); err != nil {
			return err
		}
	}
	return s.zip.Close()
}

type sending struct {
	ctx    context.Context
	draft  *Draft
	files  backoffice.FileStore
	zip    *zip.Writer
	day    time.Time // of every entry, so that the same content gives the same bytes
	buffer []byte
}

var errDamaged = errors.New("a stored file is not what was stored")

func (s *sending) send(p part) (Entry, error) {
	switch {
	case p.secret != nil:
		return s.copy(p, bytes.NewReader(p.secret))
	case p.file == nil:
		return s.copy(p, io.NewSectionReader(s.draft.spool, p.offset, p.length))
	}
	stored, err := s.files.Open(s.ctx, p.file.Key, 0, -1)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = stored.Close() }()
	entry, err := s.copy(p, stored)
	damaged := entry.Size != p.length ||
		len(p.file.SHA256) > 0 && entry.SHA256 != hex.EncodeToString(p.file.SHA256)
	if err == nil && damaged {
		err = backoffice.Fault(errDamaged, "sending a pack")
	}
	return entry, err
}

func (s *sending) copy(p part, from io.Reader) (Entry, error) {
	header := &zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: s.day}
	if p.secret != nil || p.file != nil { // most files are compressed already
		header.Method = zip.Store
	}
	to, err := s.zip.CreateHeader(header)
	if err != nil {
		return Entry{}, err
	}
	digest := sha256.New()
	// Only a Writer and a Reader: nothing else may choose another buffer.
	size, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(to, digest)}, &living{s.ctx, from}, s.buffer)
	return Entry{Name: p.name, Size: size, SHA256: hex.EncodeToString(digest.Sum(nil))}, err
}

// living is a reader that ends with the caller's rights.
type living struct {
	ctx context.Context
	io.Reader
}

func (l *living) Read(b []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	return l.Reader.Read(b)
}
