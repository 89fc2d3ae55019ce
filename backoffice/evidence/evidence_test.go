package evidence_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/files"
)

// office has a key and a folder of stored files.
type office struct {
	key    ed25519.PrivateKey
	stored files.Store
}

func open(t testing.TB) *office {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	stored, err := files.Open(t.Context(), "file:"+t.TempDir())
	check(t, err)
	t.Cleanup(func() { _ = stored.Close() })
	return &office{key, stored}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (o *office) Sign(content []byte) ([]byte, error) { return ed25519.Sign(o.key, content), nil }
func (o *office) public() ed25519.PublicKey           { return o.key.Public().(ed25519.PublicKey) }

func (o *office) put(t testing.TB, content []byte) *backoffice.File {
	t.Helper()
	file, err := o.stored.Put(t.Context(), backoffice.NewFileKey(backoffice.NewUploadID()), bytes.NewReader(content), "application/pdf")
	check(t, err)
	return &file
}

// draft is a pack with made entries and stored files.
func (o *office) draft(t testing.TB, made map[string]string, stored map[string]*backoffice.File) *evidence.Draft {
	t.Helper()
	d, err := evidence.NewDraft()
	check(t, err)
	t.Cleanup(d.Close)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if strings.HasPrefix(name, "secret") {
			check(t, d.AddSecret(name, []byte(made[name])))
			continue
		}
		check(t, d.AddBytes(name, []byte(made[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		check(t, d.AddFile(name, stored[name]))
	}
	return d
}

func (o *office) send(ctx context.Context, d *evidence.Draft, w io.Writer) error {
	m := evidence.Manifest{CustomerID: "acme", To: "2026-03-31", Language: "dutch", Requester: evidence.Requester{ClientID: "auditor", Name: "<Auditor>"}}
	return d.Send(ctx, w, o.stored, m, o.public(), o)
}

// pack is a pack with an entry of every kind.
func (o *office) pack(t testing.TB) []byte {
	t.Helper()
	made := map[string]string{"customer.json": `{"_id": "acme"}`, "empty.json": "", "secret.json": `{"n": 1}`, "journal.txt": strings.Repeat("a line\n", 50)}
	stored := map[string]*backoffice.File{"documents/d-1/Één.pdf": o.put(t, []byte("%PDF-1.7 of a document"))}
	var pack bytes.Buffer
	check(t, o.send(t.Context(), o.draft(t, made, stored), &pack))
	return pack.Bytes()
}

// problems are what is wrong with a pack; its error counts as one.
func problems(pack []byte, key ed25519.PublicKey) []string {
	found, err := evidence.Verify(bytes.NewReader(pack), int64(len(pack)), key)
	if err != nil {
		return []string{err.Error()}
	}
	return found.Problems
}

type entry struct {
	name    string
	content []byte
}

func contents(t testing.TB, pack []byte) (all []entry) {
	t.Helper()
	read, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	check(t, err)
	for _, file := range read.File {
		content, err := file.Open()
		check(t, err)
		text, err := io.ReadAll(content)
		check(t, err)
		all = append(all, entry{file.Name, text})
	}
	return all
}

func zipped(t testing.TB, all []entry) []byte {
	t.Helper()
	var pack bytes.Buffer
	w := zip.NewWriter(&pack)
	for _, e := range all {
		to, err := w.Create(e.name)
		check(t, err)
		_, err = to.Write(e.content)
		check(t, err)
	}
	check(t, w.Close())
	return pack.Bytes()
}

// tampered are packs that somebody has changed, by what was done.
func tampered(t testing.TB, pack []byte) map[string][]byte {
	t.Helper()
	all, changed := contents(t, pack), map[string][]byte{}
	with := func(name string, change func([]entry) []entry) {
		changed[name] = zipped(t, change(slices.Clone(all)))
	}
	for i, e := range all {
		with(fmt.Sprintf("%d left out", i), func(all []entry) []entry { return slices.Delete(all, i, i+1) })
		with(fmt.Sprintf("%d twice", i), func(all []entry) []entry { return append(all, all[i]) })
		with(fmt.Sprintf("%d longer", i), func(all []entry) []entry {
			all[i].content = append(slices.Clone(all[i].content), ' ')
			return all
		})
		with(fmt.Sprintf("%d renamed", i), func(all []entry) []entry { all[i].name += "x"; return all })
		for range min(3, len(e.content)) {
			at := rand.IntN(len(e.content))
			with(fmt.Sprintf("%d byte %d", i, at), func(all []entry) []entry {
				all[i].content = slices.Clone(e.content)
				all[i].content[at] ^= 1 << rand.IntN(8)
				return all
			})
		}
	}
	with("added", func(all []entry) []entry { return append(all, entry{"documents/d-2/b.pdf", nil}) })
	changed["cut off"] = pack[:len(pack)-30]
	changed["nothing"] = nil
	return changed
}

func TestAPackVerifiesAndAChangedOneDoesNot(t *testing.T) {
	t.Parallel()
	o := open(t)
	pack := o.pack(t)
	for _, whole := range [][]byte{pack, zipped(t, contents(t, pack))} { // also when it was zipped anew
		for _, key := range []ed25519.PublicKey{nil, o.public()} {
			if found := problems(whole, key); found != nil {
				t.Errorf("a pack as it was signed: %q", found)
			}
		}
	}
	if found := problems(pack, open(t).public()); len(found) == 0 {
		t.Error("another office's key verifies it")
	}
	for what, changed := range tampered(t, pack) {
		if len(problems(changed, nil)) == 0 {
			t.Errorf("%s: nothing is noticed", what)
		}
	}
	// A forger who signs by another key cannot pass for the office.
	forger := open(t)
	if forged := forger.pack(t); problems(forged, nil) != nil || len(problems(forged, o.public())) == 0 {
		t.Error("a forged pack is only known by its key")
	}
}

func TestNoFlippedByteOfAPackChangesWhatItHoldsUnnoticed(t *testing.T) {
	t.Parallel()
	pack := open(t).pack(t)
	want, noticed := contents(t, pack), 0
	for i := rand.IntN(3); i < len(pack); i += 3 {
		changed := slices.Clone(pack)
		changed[i] ^= 1 << (i % 8)
		if len(problems(changed, nil)) > 0 {
			noticed++
			continue
		}
		// Only what no reader sees as content may differ: times, and the copies of names that zip has.
		if got := contents(t, changed); !slices.EqualFunc(got, want, func(a, b entry) bool { return a.name == b.name && bytes.Equal(a.content, b.content) }) {
			t.Errorf("byte %d of %d: the content differs, and nothing is noticed", i, len(pack))
		}
	}
	if noticed < len(pack)/4 {
		t.Errorf("of every third byte of %d only %d matter", len(pack), noticed)
	}
}

func TestTheSameContentGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	o := open(t)
	if !bytes.Equal(o.pack(t), o.pack(t)) {
		t.Error("two packs of the same content differ")
	}
}

// It is not parallel: what it counts is of the whole process.
func TestAPackOfManyLargeFilesIsSentWithFlatMemory(t *testing.T) {
	o := open(t)
	allocated := func(n, size int) uint64 {
		stored := map[string]*backoffice.File{}
		content := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		for i := range n {
			name := fmt.Sprintf("f-%d-%d-%d", n, size, i)
			stored["documents/"+name+"/a.pdf"] = o.put(t, content)
		}
		d := o.draft(t, nil, stored)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		check(t, o.send(t.Context(), d, io.Discard))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1, 16) // the compressor is there then
	if small, large := allocated(50, 1<<10), allocated(50, 1<<20); large > small+1<<20 {
		t.Errorf("50 files of 1 KiB take %d bytes of memory, of 1 MiB %d", small, large)
	}
	if few, many := allocated(10, 1<<16), allocated(200, 1<<16); (int64(many)-int64(few))/190 > 16<<10 {
		t.Errorf("10 files take %d bytes of memory, 200 take %d", few, many)
	}
}

func TestAPackIsNotCompletedWithAFileThatIsNotWhatWasStored(t *testing.T) {
	t.Parallel()
	o := open(t)
	for name, change := range map[string]func(*backoffice.File){
		"other bytes": func(f *backoffice.File) { f.SHA256 = bytes.Repeat([]byte{1}, 32) },
		"shorter":     func(f *backoffice.File) { f.Size++ },
		"gone":        func(f *backoffice.File) { f.Key = backoffice.NewFileKey(backoffice.NewUploadID()) },
	} {
		file := *o.put(t, []byte("%PDF"))
		change(&file)
		if err := o.send(t.Context(), o.draft(t, nil, map[string]*backoffice.File{"a.pdf": &file}), io.Discard); err == nil {
			t.Errorf("%s: the pack is completed", name)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	d := o.draft(t, nil, map[string]*backoffice.File{"a.pdf": o.put(t, []byte("%PDF"))})
	cancel()
	if err := o.send(gone, d, io.Discard); err == nil {
		t.Error("a pack is sent to nobody")
	}
	if err := d.Add("a.pdf", func(io.Writer) error { return nil }); err == nil {
		t.Error("a pack has two entries of one name")
	}
}

func TestAKeyIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	key := open(t).public()
	text := evidence.EncodeKey(key)
	if read, err := evidence.ParseKey(text); err != nil || !read.Equal(key) {
		t.Errorf("%v", err)
	}
	for _, wrong := range []string{"", "key", string(text[:40]), strings.ReplaceAll(string(text), "PUBLIC", "PRIVATE"),
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := evidence.ParseKey([]byte(wrong)); backoffice.KindOf(err) != backoffice.BadInput {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// written writes packs into a folder: good-N.zip and bad-N.zip.
func written(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	pack := open(t).pack(t)
	check(t, os.WriteFile(filepath.Join(folder, "good-0.zip"), pack, 0o600))
	check(t, os.WriteFile(filepath.Join(folder, "good-1.zip"), zipped(t, contents(t, pack)), 0o600))
	changed := tampered(t, pack)
	for i, what := range slices.Sorted(maps.Keys(changed)) {
		check(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("bad-%d %s.zip", i, what)), changed[what], 0o600))
	}
	return folder
}

func TestASecretOfAPackIsOnNoDisk(t *testing.T) {
	t.Parallel()
	const descriptors = "/proc/self/fd"
	o := open(t)
	d := o.draft(t, map[string]string{"customer.json": "what is no secret", "secret.json": "a number to hide"}, nil)
	var all bytes.Buffer
	check(t, o.send(t.Context(), d, io.Discard))
	files, err := os.ReadDir(descriptors)
	if err != nil {
		t.Skip("this system does not list what a process has open")
	}
	for _, file := range files {
		path := filepath.Join(descriptors, file.Name())
		if target, _ := os.Readlink(path); strings.Contains(target, "backoffice-evidence-") {
			content, err := os.ReadFile(path)
			check(t, err)
			all.Write(content)
		}
	}
	if text := all.String(); !strings.Contains(text, "what is no secret") || strings.Contains(text, "a number to hide") {
		t.Errorf("on the disk are %q", text)
	}
}
