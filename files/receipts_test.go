package files_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
)

func openReceipts(t *testing.T, location string) backoffice.ReceiptStore {
	t.Helper()
	receipts, err := files.OpenReceipts(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return receipts
}

func TestReceiptsAreWrittenOnceAndReadBackWhereverTheyAreKept(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]func(t *testing.T) string{
		"folder": func(t *testing.T) string { return t.TempDir() },
		"file:":  func(t *testing.T) string { return "file:" + t.TempDir() },
		"bucket": func(t *testing.T) string { return s3test.Start(t, "register").URL("") },
		"prefix": func(t *testing.T) string { return s3test.Start(t, "register").URL("office/one") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := location(t)
			receipts := openReceipts(t, at)
			if names, err := receipts.Names(t.Context()); err != nil || len(names) != 0 {
				t.Fatalf("at first there are %q, %v", names, err)
			}
			written := map[string]string{"b/2": "second", "a/1": "first", "b/10": "third"}
			for name, content := range written {
				if err := receipts.Write(t.Context(), name, []byte(content)); err != nil {
					t.Fatal(err)
				}
			}
			if err := receipts.Write(t.Context(), "a/1", []byte("another")); err == nil {
				t.Error("a receipt was written over")
			}
			again := openReceipts(t, at)
			names, err := again.Names(t.Context())
			if want := []string{"a/1", "b/10", "b/2"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("there are %q, %v", names, err)
			}
			for name, want := range written {
				if content, err := again.Read(t.Context(), name); err != nil || string(content) != want {
					t.Errorf("%s holds %q, %v", name, content, err)
				}
			}
			if _, err := again.Read(t.Context(), "a/0"); err == nil {
				t.Error("a receipt that nobody wrote is read")
			}
		})
	}
}

func TestAPrefixOfABucketHoldsItsOwnReceiptsAlone(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t, "register")
	one, two := openReceipts(t, server.URL("one")), openReceipts(t, server.URL("two"))
	if err := one.Write(t.Context(), "a/1", []byte("of one")); err != nil {
		t.Fatal(err)
	}
	if err := two.Write(t.Context(), "a/1", []byte("of two")); err != nil {
		t.Fatal(err)
	}
	if names, err := one.Names(t.Context()); err != nil || !slices.Equal(names, []string{"a/1"}) {
		t.Errorf("the first has %q, %v", names, err)
	}
	if content, err := two.Read(t.Context(), "a/1"); err != nil || !bytes.Equal(content, []byte("of two")) {
		t.Errorf("the second holds %q, %v", content, err)
	}
}

func TestABucketOfReceiptsThatFailsSaysSoWithoutItsAddress(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t, "register")
	receipts := openReceipts(t, server.URL(""))
	if err := receipts.Write(t.Context(), "a/1", []byte("first")); err != nil {
		t.Fatal(err)
	}
	server.Fail(true)
	_, listing := receipts.Names(t.Context())
	_, reading := receipts.Read(t.Context(), "a/1")
	for doing, err := range map[string]error{"writing": receipts.Write(t.Context(), "a/2", []byte("second")), "listing": listing, "reading": reading} {
		if backoffice.KindOf(err) != backoffice.Unavailable || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: %v", doing, err)
		}
	}
	server.Fail(false)
	if names, err := receipts.Names(t.Context()); err != nil || !slices.Equal(names, []string{"a/1"}) {
		t.Errorf("afterwards there are %q, %v", names, err)
	}
	if err := receipts.Write(t.Context(), "a/2", []byte("second")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
