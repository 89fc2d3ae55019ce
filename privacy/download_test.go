package privacy

import (
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

const pathLife = 5 * time.Minute

func TestASignedDownloadHoldsForItsFileUntilItEnds(t *testing.T) {
	t.Parallel()
	keys := testKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`)
		client, kind, file := id.Draw(t, "client"), id.Draw(t, "kind"), id.Draw(t, "file")
		now := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "now"), 0)
		signature, err := keys.SignDownload(client, kind, file, now.Add(pathLife))
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(signature, "+/=&?#%") {
			t.Fatalf("not URL-safe: %s", signature)
		}
		refused := func(what, signature, kind, file string, at time.Time) {
			if _, err := keys.VerifyDownload(signature, kind, file, at); backoffice.KindOf(err) != backoffice.Unauthenticated {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if got, err := keys.VerifyDownload(signature, kind, file, now.Add(pathLife-time.Second)); err != nil || got != client {
			t.Fatalf("%q %v", got, err)
		}
		refused("at its end", signature, kind, file, now.Add(pathLife))
		refused("another file", signature, kind, file+"x", now)
		refused("another kind", signature, kind+"x", file, now)
		refused("moved border", signature, kind+file[:1], file[1:], now)
		changed := []byte(signature)
		at := rapid.IntRange(0, len(changed)-1).Draw(t, "at")
		changed[at] ^= 1
		refused("changed", string(changed), kind, file, now)
		refused("with a line break", signature[:at]+rapid.SampledFrom([]string{"\n", "\r", "\r\n"}).Draw(t, "break")+signature[at:], kind, file, now)
	})
}

func FuzzVerifyDownload(f *testing.F) {
	keys := testKeys(f)
	now := time.Unix(1_780_000_000, 0)
	signature, err := keys.SignDownload("credential", "minfin", "f1", now.Add(pathLife))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signature)
	f.Add("")
	f.Add("_____________________________")
	f.Fuzz(func(t *testing.T, text string) {
		client, err := keys.VerifyDownload(text, "minfin", "f1", now)
		if (err == nil) != (text == signature) || (err == nil) != (client == "credential") {
			t.Fatalf("%q: %q %v", text, client, err)
		}
	})
}

func TestASignedUploadHoldsForItsDocumentUntilItEnds(t *testing.T) {
	t.Parallel()
	keys := testKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`)
		client, of := id.Draw(t, "client"), backoffice.DocumentUpload{ID: id.Draw(t, "document"), CustomerID: id.Draw(t, "customer"), Name: rapid.StringN(1, 50, 200).Draw(t, "name")}
		now := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "now"), 0)
		signature, err := keys.SignUpload(client, &of, now.Add(pathLife))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := keys.VerifyUpload(signature, &of, now.Add(pathLife-time.Second)); err != nil || got != client {
			t.Fatalf("%q %v", got, err)
		}
		for what, other := range map[string]backoffice.DocumentUpload{
			"another document": {ID: of.ID + "x", CustomerID: of.CustomerID, Name: of.Name},
			"another customer": {ID: of.ID, CustomerID: of.CustomerID + "x", Name: of.Name},
			"another name":     {ID: of.ID, CustomerID: of.CustomerID, Name: of.Name + "x"},
			"a moved border":   {ID: of.ID, CustomerID: of.CustomerID + of.Name[:1], Name: of.Name[1:]},
		} {
			if _, err := keys.VerifyUpload(signature, &other, now); backoffice.KindOf(err) != backoffice.Unauthenticated {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if _, err := keys.VerifyUpload(signature, &of, now.Add(pathLife)); backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Fatalf("at its end: %v", err)
		}
		if _, err := keys.VerifyDownload(signature, "document", of.ID, now); backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Fatalf("as a download: %v", err)
		}
		download, err := keys.SignDownload(client, "document", of.ID, now.Add(pathLife))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := keys.VerifyUpload(download, &of, now); backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Fatalf("a download's: %v", err)
		}
	})
}

func FuzzVerifyUpload(f *testing.F) {
	keys := testKeys(f)
	now := time.Unix(1_780_000_000, 0)
	of := backoffice.DocumentUpload{ID: "d1", CustomerID: "c1", Name: "Statuten é.pdf"}
	signature, err := keys.SignUpload("credential", &of, now.Add(pathLife))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signature, of.ID, of.CustomerID, of.Name)
	f.Add("", "", "", "")
	f.Add(signature, "d", "1c1", of.Name)
	f.Fuzz(func(t *testing.T, text, id, customer, name string) {
		said := backoffice.DocumentUpload{ID: id, CustomerID: customer, Name: name}
		client, err := keys.VerifyUpload(text, &said, now)
		if (err == nil) != (text == signature && said == of) || (err == nil) != (client == "credential") {
			t.Fatalf("%q for %q: %q %v", text, said, client, err)
		}
	})
}

func TestADigestTellsContentsAndContextsApart(t *testing.T) {
	t.Parallel()
	keys := testKeys(t)
	digest, err := keys.Digest("customer", []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if !keys.SameContent("customer", []byte("content"), digest) {
		t.Error("the same content is another")
	}
	for _, other := range [][2]string{{"customer", "contents"}, {"label", "content"}, {"customerc", "ontent"}} {
		if keys.SameContent(other[0], []byte(other[1]), digest) {
			t.Errorf("%v passes", other)
		}
	}
	if keys.SameContent("customer", []byte("content"), nil) || testKeys(t).SameContent("customer", []byte("content"), digest) {
		t.Error("no digest, or another key's, passes")
	}
}

func BenchmarkDownload(b *testing.B) {
	keys := testKeys(b)
	now := time.Now()
	signature, _ := keys.SignDownload("0190c9a4-0000-7000-8000-000000000000", "transcript", "t1", now.Add(pathLife))
	b.Run("sign", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = keys.SignDownload("0190c9a4-0000-7000-8000-000000000000", "transcript", "t1", now)
		}
	})
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := keys.VerifyDownload(signature, "transcript", "t1", now); err != nil {
				b.Fatal(err)
			}
		}
	})
}
