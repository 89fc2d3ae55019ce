package cli

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestEveryCompletedTranscriptGetsADocument(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	first := s.must(t, "documents", "generate")
	if !regexp.MustCompile(`^[1-9][0-9]* documents generated\n$`).MatchString(first) {
		t.Errorf("it tells %q", first)
	}
	if again := s.must(t, "documents", "generate"); again != "0 documents generated\n" {
		t.Errorf("the second time it tells %q", again)
	}
}

func TestAGeneratedDocumentHasTheLetterheadThatIsSet(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	logo := filepath.Join(s.dir, "logo.png")
	if code, _, err := s.run(t, "documents", "generate", "--office-logo", logo); code != exitFailure || !strings.Contains(err, "cannot read the logo") {
		t.Errorf("a logo that is not there: %d %q", code, err)
	}
	if err := os.WriteFile(logo, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "documents", "generate", "--office-logo", logo); code != exitFailure || !strings.Contains(err, "a PNG or a JPEG") {
		t.Errorf("a logo that is no picture: %d %q", code, err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logo, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(t, "documents", "generate", "--office-name", "Kantoor Peeters", "--office-address", "Kouter 1;9000 Gent", "--office-logo", logo)
	name := fmt.Sprintf("%04X", utf16.Encode([]rune("Kantoor Peeters"))) // as the author's name
	name = strings.NewReplacer(" ", "", "[", "", "]", "").Replace(name)
	made, logos := 0, 0
	err := filepath.WalkDir(filepath.Join(s.dir, "data", "files"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte("%PDF")) {
			return err
		}
		if !strings.Contains(inflated(content), name) {
			return nil // it came with the import
		}
		made++
		if bytes.Contains(content, []byte("/Subtype/Image/Width 40/Height 20")) {
			logos++
		}
		return nil
	})
	if err != nil || made == 0 || logos != made {
		t.Errorf("%d documents with the letterhead, %d with its logo: %v", made, logos, err)
	}
}

// inflated is what a PDF's packed streams hold.
func inflated(content []byte) string {
	var all strings.Builder
	for _, stream := range bytes.Split(content, []byte("\nstream\n"))[1:] {
		if unpacking, err := zlib.NewReader(bytes.NewReader(stream)); err == nil {
			_, _ = io.Copy(&all, unpacking)
		}
	}
	return all.String()
}

func TestDocumentsAreGeneratedWithTheFontsOfAFolder(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	folder := t.TempDir()
	if code, _, err := s.run(t, "documents", "generate", "--fonts", folder); code != exitFailure || !strings.Contains(err, "has no fonts") {
		t.Errorf("an empty folder: %d %s", code, err)
	}
	data, err := os.ReadFile("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
	if err != nil {
		t.Fatalf("%v; make deps installs it", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "dejavu.ttf"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	changes := filepath.Join(t.TempDir(), "changes")
	if err := os.Mkdir(changes, 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"_id":"tr-hebrew","checklist":"list-2026-nl","customer":"acme","status":"To Process","isCompleted":true,"progressPercentage":100,"customVariables":{"a":"שלום"}}`
	if err := os.WriteFile(filepath.Join(changes, "transcripts.ndjson"), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(t, "import", changes)
	s.must(t, "documents", "generate", "--fonts", folder)
	embedded := 0
	err = filepath.WalkDir(filepath.Join(s.dir, "data", "files"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(content, []byte("%PDF")) && strings.Contains(inflated(content), "+Fallback0") {
			embedded++
		}
		return err
	})
	if err != nil || embedded != 1 {
		t.Errorf("%d documents embed the font: %v", embedded, err)
	}
}
