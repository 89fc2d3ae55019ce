package files_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
)

func eachObjectStore(t *testing.T, test func(t *testing.T, store backoffice.ObjectStore)) {
	for name, location := range map[string]func() string{
		"folder": func() string { return "file:" + t.TempDir() },
		"bucket": func() string { return s3test.Start(t, "objects").URL("") },
		"prefix": func() string { return s3test.Start(t, "objects").URL("office/one") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := files.OpenObjects(location())
			if err != nil {
				t.Fatal(err)
			}
			test(t, store)
		})
	}
}

func object(t *testing.T, store backoffice.ObjectStore, name string) string {
	t.Helper()
	reader, err := store.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func objectsIn(t *testing.T, store backoffice.ObjectStore, folder, after string) []string {
	t.Helper()
	var names []string
	if err := store.List(t.Context(), folder, after, func(name string) error { names = append(names, name); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func TestObjectsAreWholeUnderTheirNamesUntilTheyAreDeleted(t *testing.T) {
	t.Parallel()
	eachObjectStore(t, func(t *testing.T, store backoffice.ObjectStore) {
		if left := objectsIn(t, store, "a", ""); len(left) != 0 {
			t.Errorf("a new one has %q", left)
		}
		for name, text := range map[string]string{"owner": "mine", "a/one": "1", "a/two": "2", "ab/three": "3", "a/b/four": ""} {
			for _, text := range []string{"before", text} {
				if err := store.Put(t.Context(), name, strings.NewReader(text)); err != nil {
					t.Fatal(err)
				}
			}
			if got := object(t, store, name); got != text {
				t.Errorf("%s holds %q", name, got)
			}
		}
		for _, broken := range []error{errors.New("broken"), io.ErrUnexpectedEOF} {
			half := io.MultiReader(strings.NewReader(strings.Repeat("x", 9<<20)), iotest.ErrReader(broken))
			if err := store.Put(t.Context(), "a/broken", half); !errors.Is(err, broken) {
				t.Errorf("half an object is stored (%v)", err)
			}
		}
		if in := objectsIn(t, store, "a", ""); !slices.Equal(in, []string{"a/b/four", "a/one", "a/two"}) {
			t.Errorf("the folder has %q", in)
		}
		if in := objectsIn(t, store, "a", "a/b/four"); !slices.Equal(in, []string{"a/one", "a/two"}) {
			t.Errorf("after one the folder has %q", in)
		}
		for range 2 { // the second time it is missing
			if err := store.Delete(t.Context(), "a/one"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := store.Get(t.Context(), "a/one")
		wantKind(t, err, backoffice.NotFound)
		for _, name := range []string{"a/b/four", "ab/three", "never/was"} {
			if err := store.Delete(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if in := objectsIn(t, store, "", ""); !slices.Equal(in, []string{"a/two", "owner"}) {
			t.Errorf("%q is left", in)
		}
		if err := store.Put(t.Context(), "ab/again", strings.NewReader("4")); err != nil || object(t, store, "ab/again") != "4" {
			t.Errorf("a folder that was emptied takes no object: %v", err)
		}
	})
}

func TestAnObjectIsReadNoLongerThanItsContextLasts(t *testing.T) {
	t.Parallel()
	eachObjectStore(t, func(t *testing.T, store backoffice.ObjectStore) {
		if err := store.Put(t.Context(), "large", strings.NewReader(strings.Repeat("x", 8<<20))); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		reader, err := store.Get(ctx, "large")
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		if _, err := reader.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if n, err := io.Copy(io.Discard, reader); !errors.Is(err, context.Canceled) {
			t.Errorf("%d more bytes are read (%v)", n, err)
		}
	})
}

func TestNoObjectOutsideOfItsFolderIsDeleted(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	place, outside := filepath.Join(parent, "place"), filepath.Join(parent, "outside")
	if err := errors.Join(os.Mkdir(place, 0o700), os.WriteFile(outside, nil, 0o600), os.Symlink(parent, filepath.Join(place, "link"))); err != nil {
		t.Fatal(err)
	}
	store, err := files.OpenObjects("file:" + place)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../outside", "link/outside"} {
		if err := store.Delete(t.Context(), name); err == nil {
			t.Errorf("%s is deleted", name)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	gone, err := files.OpenObjects("file:" + filepath.Join(parent, "unmounted"))
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Delete(t.Context(), "a"); err == nil {
		t.Error("a folder that is not there has deleted an object")
	}
}

func TestAListingPassesOverWhatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	eachObjectStore(t, func(t *testing.T, store backoffice.ObjectStore) {
		for _, name := range []string{"a/one", "b/two"} {
			if err := store.Put(t.Context(), name, strings.NewReader("")); err != nil {
				t.Fatal(err)
			}
		}
		err := store.List(t.Context(), "", "", func(name string) error {
			return store.Delete(t.Context(), "b/two")
		})
		if err != nil {
			t.Error(err)
		}
	})
}
