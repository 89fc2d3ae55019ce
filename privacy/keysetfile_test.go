package privacy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tink-crypto/tink-go/v2/testing/fakekms"
	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
)

// newKEK is a key of a key management service of its own.
func newKEK(t testing.TB) tink.AEAD {
	t.Helper()
	uri, err := fakekms.NewKeyURI()
	if err != nil {
		t.Fatal(err)
	}
	kek, err := fakekms.NewAEAD(uri)
	if err != nil {
		t.Fatal(err)
	}
	return kek
}

// keyMaterial is what every key of a keyset is made of.
func keyMaterial(h handles) (found [][]byte) {
	for _, of := range h {
		for _, key := range material(of).GetKey() {
			found = append(found, key.GetKeyData().GetValue())
		}
	}
	return found
}

// gives reports whether a text holds a key, as it is or in base64.
func gives(text []byte, keys [][]byte) bool {
	for _, key := range keys {
		for _, form := range [][]byte{key, []byte(base64.StdEncoding.EncodeToString(key)), []byte(base64.RawURLEncoding.EncodeToString(key))} {
			if bytes.Contains(text, form) {
				return true
			}
		}
	}
	return false
}

func TestAWrappedKeysetFileGivesNoKeyAndIsTheSameKeyset(t *testing.T) {
	t.Parallel()
	plain := KeysetFile{Path: filepath.Join(t.TempDir(), "keyset.json")}
	made, err := plain.Create()
	if err != nil {
		t.Fatal(err)
	}
	read, err := plain.read()
	if err != nil {
		t.Fatal(err)
	}
	keys := keyMaterial(read)
	if text, _ := os.ReadFile(plain.Path); len(keys) != len(templates) || !gives(text, keys) {
		t.Fatal("a file that is not wrapped does not give its keys, so this test shows nothing")
	}
	wrapped := KeysetFile{plain.Path, newKEK(t)}
	if err := plain.rewrap(wrapped.KEK); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(plain.Path); gives(text, keys) {
		t.Error("the wrapped file gives a key")
	}
	again, err := wrapped.Load()
	if err != nil {
		t.Fatal(err)
	}
	ask := sealed(t, made, "a", backoffice.RegistrationNumber)
	if got, err := again.open("a", ask.Field, ask.Number); err != nil || got != number {
		t.Errorf("%q %v", got, err)
	}
	if is, err := wrapped.Wrapped(); err != nil || !is {
		t.Errorf("%v %v", is, err)
	}
	if err := wrapped.rewrap(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Load(); err != nil {
		t.Errorf("unwrapped: %v", err)
	}
}

func TestAFileThatIsMadeWithAKeyThatWrapsIsWrappedAndStaysSoWhenKeysAreAddedAndRemoved(t *testing.T) {
	t.Parallel()
	file := KeysetFile{filepath.Join(t.TempDir(), "keyset.json"), newKEK(t)}
	keys, err := file.Create()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(handles) error{
		func(handles) error { return nil },
		func(h handles) error { _, err := h.add(); return err },
		func(h handles) error {
			all, primary, err := h.generations()
			if err != nil {
				return err
			}
			for _, g := range all {
				if g != primary {
					return h.remove(g, primary)
				}
			}
			t.Error("no key was added")
			return nil
		},
	} {
		if err := keys.rewrite(change); err != nil {
			t.Fatal(err)
		}
		read, err := file.read()
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(file.Path); gives(text, keyMaterial(read)) {
			t.Error("the file gives a key")
		}
	}
	if info, err := os.Stat(file.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestAWrappedKeysetFileThatCannotBeOpenedIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	file := KeysetFile{filepath.Join(t.TempDir(), "keyset.json"), newKEK(t)}
	if _, err := file.Create(); err != nil {
		t.Fatal(err)
	}
	if _, err := (KeysetFile{Path: file.Path}).Load(); err == nil || !strings.Contains(err.Error(), "--keyset-kms") {
		t.Errorf("without a key: %v", err)
	}
	if _, err := (KeysetFile{file.Path, newKEK(t)}).Load(); err == nil || !strings.Contains(err.Error(), "cannot unwrap") {
		t.Errorf("another key: %v", err)
	}
	var kept wrappedFile
	text, _ := os.ReadFile(file.Path)
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	for at := range kept.Keyset {
		damaged := bytes.Clone(kept.Keyset)
		damaged[at] ^= 1
		text, _ := json.Marshal(wrappedFile{wrappedFormat, damaged})
		if err := os.WriteFile(file.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Load(); err == nil {
			t.Fatalf("a file with byte %d changed was taken", at)
		}
	}
}

func FuzzNoKeysetFileMakesReadingItPanicOrIsQuoted(f *testing.F) {
	kek := newKEK(f)
	made, err := newHandles()
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range []KeysetFile{{}, {KEK: kek}} {
		text, err := file.encode(made)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"format":"backoffice wrapped keyset 1","keyset":"AAAA"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := KeysetFile{filepath.Join(t.TempDir(), "keyset.json"), kek}
		if err := os.WriteFile(file.Path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Load(); err != nil && len(text) > 40 && strings.Contains(err.Error(), string(text)) {
			t.Error("the error quotes the file")
		}
	})
}
