package files_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
)

// stores are the implementations that one suite holds to one contract.
var stores = map[string]func(t *testing.T) files.Store{
	"folder": func(t *testing.T) files.Store { return openFolder(t, t.TempDir()) },
	"bucket": func(t *testing.T) files.Store { return openStore(t, s3test.Start(t, "files").URL("")) },
	"prefix": func(t *testing.T) files.Store { return openStore(t, s3test.Start(t, "files").URL("office/one")) },
}

func openFolder(t *testing.T, dir string) *files.Folder {
	t.Helper()
	folder, err := files.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func openStore(t *testing.T, location string) files.Store {
	t.Helper()
	store, err := files.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func eachStore(t *testing.T, test func(t *testing.T, store files.Store)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func randomBytes(size int) []byte {
	data := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = source.Read(data)
	return data
}

func newKey() string { return backoffice.NewFileKey(backoffice.NewUploadID()) }

func put(t *testing.T, store backoffice.FileStore, data []byte) backoffice.File {
	t.Helper()
	file, err := store.Put(t.Context(), newKey(), bytes.NewReader(data), "application/pdf")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, store backoffice.FileStore, key string, offset, length int64) []byte {
	t.Helper()
	reader, err := store.Open(t.Context(), key, offset, length)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func keysOf(t *testing.T, store files.Store) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	err := store.List(t.Context(), "", func(key string) error {
		keys[key] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func wantKind(t *testing.T, err error, kind backoffice.Kind) {
	t.Helper()
	if err == nil || backoffice.KindOf(err) != kind {
		t.Fatalf("got error %v of kind %d, want kind %d", err, backoffice.KindOf(err), kind)
	}
}

func TestAFileIsReadBackAsItWasPut(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		for _, size := range []int{0, 1, 511, 64 << 10, 6<<20 + 3, 17 << 20} { // the last one is uploaded in parts
			data := randomBytes(size)
			file := put(t, store, data)
			md5Sum, sha256Sum := md5.Sum(data), sha256.Sum256(data)
			if file.Size != size || file.MD5Hash != base64.StdEncoding.EncodeToString(md5Sum[:]) || !bytes.Equal(file.SHA256, sha256Sum[:]) {
				t.Errorf("the measures of %d bytes are wrong: %+v", size, file)
			}
			if file.ContentType != "application/pdf" || file.TimeCreated.IsZero() {
				t.Errorf("the file lacks a type or a time: %+v", file)
			}
			if got := read(t, store, file.Key, 0, -1); !bytes.Equal(got, data) {
				t.Errorf("of %d bytes, %d other ones came back", size, len(got))
			}
		}
	})
}

func TestAnyRangeOfAFileIsThatPartOfIt(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		data := randomBytes(1000)
		file, empty := put(t, store, data), put(t, store, nil)
		rapid.Check(t, func(r *rapid.T) {
			offset := rapid.Int64Range(0, 1100).Draw(r, "offset")
			length := rapid.Int64Range(-1, 1100).Draw(r, "length")
			want := data[min(offset, 1000):]
			if length >= 0 {
				want = want[:min(length, int64(len(want)))]
			}
			if got := read(t, store, file.Key, offset, length); !bytes.Equal(got, want) {
				r.Fatalf("%d bytes came, want %d", len(got), len(want))
			}
			if got := read(t, store, empty.Key, offset, length); len(got) != 0 {
				r.Fatalf("an empty file gave %d bytes", len(got))
			}
		})
		_, err := store.Open(t.Context(), file.Key, -1, 5)
		wantKind(t, err, backoffice.BadInput)
	})
}

func TestAKeyThatHoldsNothingIsNotFound(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		file := put(t, store, []byte("x"))
		other := strings.Map(func(r rune) rune {
			if r == '/' {
				return r
			}
			return 'a'
		}, file.Key)
		for _, key := range []string{other, "", "..", "../../etc/passwd", "/etc/passwd", ".part", "aa", file.Key + "x", "aa/../" + file.Key, strings.ToUpper(file.Key)} {
			_, err := store.Open(t.Context(), key, 0, -1)
			wantKind(t, err, backoffice.NotFound)
			_, err = store.Open(t.Context(), key, 0, 0)
			wantKind(t, err, backoffice.NotFound)
		}
	})
}

func TestDeletingRemovesTheNamedFilesAndPassesOverMissingOnes(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		first, second, third := put(t, store, []byte("1")), put(t, store, []byte("2")), put(t, store, []byte("3"))
		for range 2 {
			if err := store.Delete(t.Context(), first.Key, "../escape", "", third.Key); err != nil {
				t.Fatal(err)
			}
		}
		_, err := store.Open(t.Context(), first.Key, 0, -1)
		wantKind(t, err, backoffice.NotFound)
		if keys := keysOf(t, store); len(keys) != 1 || !keys[second.Key] {
			t.Errorf("left are %v, want %s", keys, second.Key)
		}
		if err := store.Delete(t.Context()); err != nil {
			t.Errorf("deleting nothing: %v", err)
		}
	})
}

func TestAListingNamesEveryFileOnceAndStopsAtAnError(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		want := map[string]bool{}
		for range 40 {
			want[put(t, store, []byte("same bytes, other key")).Key] = true
		}
		seen := 0
		keys := map[string]bool{}
		err := store.List(t.Context(), "", func(key string) error {
			seen++
			keys[key] = true
			return nil
		})
		if err != nil || seen != 40 || len(want) != 40 || len(keys) != 40 {
			t.Errorf("listed %d, %d different, of %d: %v", seen, len(keys), len(want), err)
		}
		stop := errors.New("stop")
		visits := 0
		err = store.List(t.Context(), "", func(string) error { visits++; return stop })
		if !errors.Is(err, stop) || visits != 1 {
			t.Errorf("after an error: %d visits, %v", visits, err)
		}
	})
}

func TestAFailingReaderLeavesNoFileAndKeepsItsError(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		for _, broken := range []error{errors.New("the sender hung up"), io.ErrUnexpectedEOF} {
			for _, before := range []int{0, 100, 6 << 20, 9 << 20} {
				reader := io.MultiReader(bytes.NewReader(randomBytes(before)), iotest.ErrReader(broken))
				file, err := store.Put(t.Context(), newKey(), reader, "application/pdf")
				if !errors.Is(err, broken) || file.Key != "" {
					t.Errorf("after %d bytes: %+v, %v", before, file, err)
				}
			}
		}
		refused := backoffice.Errorf(backoffice.BadInput, "too large")
		_, err := store.Put(t.Context(), newKey(), iotest.ErrReader(refused), "application/pdf")
		wantKind(t, err, backoffice.BadInput)
		if keys := keysOf(t, store); len(keys) != 0 {
			t.Errorf("left behind: %v", keys)
		}
	})
}

func TestACancelledContextEndsAWriteAndLeavesNoFile(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		reader := io.MultiReader(bytes.NewReader(randomBytes(1000)), readerFunc(func([]byte) (int, error) {
			cancel()
			return 0, nil
		}))
		if _, err := store.Put(ctx, newKey(), reader, "text/plain"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		expired, cancelExpired := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancelExpired()
		_, err := store.Put(expired, newKey(), strings.NewReader("x"), "text/plain")
		wantKind(t, err, backoffice.Timeout)
		if keys := keysOf(t, store); len(keys) != 0 {
			t.Errorf("left behind: %v", keys)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestManyWritersAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		var wait sync.WaitGroup
		written := make([]backoffice.File, 24)
		for i := range written {
			wait.Go(func() {
				file, err := store.Put(t.Context(), newKey(), bytes.NewReader(randomBytes(5000+i)), "application/pdf")
				if err != nil {
					t.Error(err)
				}
				written[i] = file
			})
		}
		wait.Wait()
		for i, file := range written {
			if !bytes.Equal(read(t, store, file.Key, 0, -1), randomBytes(5000+i)) {
				t.Errorf("file %d holds other bytes", i)
			}
		}
	})
}

func TestACopyKeepsKeysAndDoesNotCopyTwice(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		into := openFolder(t, filepath.Join(t.TempDir(), "copy"))
		first, second := put(t, store, []byte("one")), put(t, store, []byte("two"))
		for _, file := range []backoffice.File{first, second} {
			if err := files.Copy(t.Context(), into, store, file); err != nil {
				t.Fatal(err)
			}
		}
		if string(read(t, into, second.Key, 0, -1)) != "two" || string(read(t, into, first.Key, 0, -1)) != "one" {
			t.Error("the copy holds other bytes")
		}
		if err := store.Delete(t.Context(), first.Key); err != nil {
			t.Fatal(err)
		}
		if err := files.Copy(t.Context(), into, store, first); err != nil {
			t.Error("what is there already was copied again:", err)
		}
		fresh := openFolder(t, t.TempDir())
		for _, key := range []string{first.Key, "../x"} {
			wantKind(t, files.Copy(t.Context(), fresh, store, backoffice.File{Key: key}), backoffice.NotFound)
		}
	})
}

func TestOnlyTheOwnerMayReadAFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	file := put(t, openFolder(t, dir), []byte("x"))
	for _, name := range []string{"", filepath.Dir(file.Key), file.Key, ".part"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v %v", name, info.Mode(), err)
		}
	}
}

func TestALinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := openFolder(t, dir)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := "aa/" + strings.Repeat("b", 24)
	if err := os.Mkdir(filepath.Join(dir, "aa"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, key)); err != nil {
		t.Fatal(err)
	}
	if reader, err := store.Open(t.Context(), key, 0, -1); err == nil {
		_ = reader.Close()
		t.Error("a link was followed")
	}
}
