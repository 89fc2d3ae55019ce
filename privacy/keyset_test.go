package privacy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAKeysetFileIsMadeOnceWithMode0600AndReadBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyset.json")
	made, err := KeysetFile{Path: path}.Create()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info.Mode(), err)
	}
	read, err := KeysetFile{Path: path}.Load()
	if err != nil {
		t.Fatal(err)
	}
	ask := sealed(t, made, "a", backoffice.RegistrationNumber)
	if got, err := read.open("a", ask.Field, ask.Number); err != nil || got != number {
		t.Errorf("%q %v", got, err)
	}
	one := made.Fingerprint()
	two := read.Fingerprint()
	other := testKeys(t).Fingerprint()
	if one != two || one == other || len(one) != 32 {
		t.Errorf("fingerprints %s %s %s", one, two, other)
	}
	before, _ := os.ReadFile(path)
	if _, err := (KeysetFile{Path: path}).Create(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second creation: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("drafts were left: %v", left)
	}
}

func TestOfManyWhoCreateAKeysetOneSucceedsAndAllReadTheSame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyset.json")
	var wins sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := (KeysetFile{Path: path}).Create(); err == nil {
				wins.Store(i, true)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
			if _, err := (KeysetFile{Path: path}).Load(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	count := 0
	wins.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d created it", count)
	}
}

func TestAKeysetFileThatCannotBeUsedIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	if _, err := (KeysetFile{Path: good}).Create(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(good)
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	with := func(change func(map[string]json.RawMessage)) []byte {
		var copied map[string]json.RawMessage
		_ = json.Unmarshal(text, &copied)
		change(copied)
		changed, _ := json.Marshal(copied)
		return changed
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"empty":        {nil, "not JSON"},
		"cut off":      {text[:len(text)/2], "not JSON"},
		"no object":    {[]byte(`[1]`), "not JSON"},
		"other format": {with(func(f map[string]json.RawMessage) { f["format"] = json.RawMessage(`"x"`) }), "not of the format"},
		"key missing":  {with(func(f map[string]json.RawMessage) { delete(f, "register") }), `lacks the key "register"`},
		"key damaged":  {with(func(f map[string]json.RawMessage) { f["paths"] = json.RawMessage(`{"key":[]}`) }), `key "paths" is damaged`},
		"keys swapped": {with(func(f map[string]json.RawMessage) { f["index"] = f["cursors"] }), `"index" is of the wrong kind`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keyset.json")
			if err := os.WriteFile(path, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := KeysetFile{Path: path}.Load()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := (KeysetFile{Path: filepath.Join(dir, "none.json")}).Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := (KeysetFile{Path: dir}).Load(); err == nil {
		t.Error("a folder was taken for a keyset")
	}
	if _, err := (KeysetFile{Path: filepath.Join(dir, "no", "such", "folder.json")}).Create(); err == nil {
		t.Error("created in a folder that is not there")
	}
}

func TestANewerPrimaryKeyStillOpensWhatOlderKeysMade(t *testing.T) {
	t.Parallel()
	made, err := newHandles()
	if err != nil {
		t.Fatal(err)
	}
	old, err := made.keyset(KeysetFile{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.add(); err != nil {
		t.Fatal(err)
	}
	all, _, err := made.generations()
	if err != nil || len(all) != 2 {
		t.Fatalf("%d keys, %v", len(all), err)
	}
	if err := made.setPrimary(all[1]); err != nil {
		t.Fatal(err)
	}
	text, err := made.encode()
	if err != nil {
		t.Fatal(err)
	}
	reread, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := reread.keyset(KeysetFile{})
	if err != nil {
		t.Fatal(err)
	}

	ask := sealed(t, old, "a", backoffice.RegistrationNumber)
	if got, err := rotated.open("a", ask.Field, ask.Number); err != nil || got != number {
		t.Errorf("number: %v", err)
	}
	if again := sealed(t, rotated, "a", backoffice.RegistrationNumber); !again.Number.SameNumber(ask.Number) {
		t.Error("the index changed")
	}
	if plain, err := rotated.OpenCursor(old.SealCursor([]byte("x"))); err != nil || string(plain) != "x" {
		t.Errorf("cursor: %v", err)
	}
	now := time.Unix(1000, 0)
	signature, err := old.SignDownload("credential", "minfin", "f1", now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rotated.VerifyDownload(signature, "minfin", "f1", now); err != nil {
		t.Errorf("signature: %v", err)
	}
	digest, err := old.Digest("customer", []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if !rotated.SameContent("customer", []byte("content"), digest) {
		t.Error("digest")
	}
	store := newMemoryStore()
	consult(t, NewVault(old, store), 3)
	consult(t, NewVault(rotated, store), 2)
	if problems, seen := verify(t, rotated, store); len(problems) > 0 || seen.Entries != 5 {
		t.Errorf("register: %v %+v", problems, seen)
	}
	if problems, _ := verify(t, old, store); len(problems) == 0 {
		t.Error("an older keyset does not know the newer key")
	}
}
