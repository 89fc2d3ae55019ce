package exports

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestADocumentIsUploadedToThePathThatGraphQLSigns(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, customer := uploadOffice(t, database(t))
			credential := o.Credential(t, backoffice.CustomersWrite)
			kept, documents := o.KeptFiles(t), len(gatewaytest.All(t, o.Store.Documents()))
			before := time.Now()
			prepared, body := o.PrepareUpload(t, credential, customer, "Statuten & é.pdf", false)
			if prepared.UploadPath == nil || len(prepared.UserErrors) > 0 || prepared.ExpiresAt == nil || prepared.ExpiresAt.Before(before) || prepared.ExpiresAt.After(before.Add(time.Hour)) {
				t.Fatalf("%s", body)
			}
			if n := len(gatewaytest.All(t, o.Store.Documents())); n != documents {
				t.Errorf("a path alone has made %d documents", n-documents)
			}
			path := *prepared.UploadPath
			const content = "%PDF-1.7\nstatutes"
			// A line that breaks, bytes that are others on the way, too many and none: the path still takes the
			// document.
			for status, w := range map[int]*httptest.ResponseRecorder{
				http.StatusBadRequest:            o.PutTo(path, io.MultiReader(strings.NewReader(content[:5]), broken{})),
				http.StatusUnprocessableEntity:   o.PutTo(path, strings.NewReader("x"), "Content-Digest", digestOf(content)),
				http.StatusRequestEntityTooLarge: o.PutTo(path, strings.NewReader(strings.Repeat("x", 1025))),
			} {
				if w.Code != status {
					t.Errorf("%d, not %d: %s", w.Code, status, w.Body)
				}
			}
			if w := o.PutTo(path, strings.NewReader("")); w.Code != http.StatusUnprocessableEntity {
				t.Errorf("no bytes: %d %s", w.Code, w.Body)
			}
			if n := o.KeptFiles(t); n != kept {
				t.Errorf("%d files are left of refused uploads", n-kept)
			}
			var answers [8]string
			var sending sync.WaitGroup
			for i := range answers {
				sending.Go(func() {
					w := o.PutTo(path, strings.NewReader(content), "Content-Digest", digestOf(content))
					answers[i] = fmt.Sprint(w.Code, w.Header().Get("Location"), w.Body)
				})
			}
			sending.Wait()
			for _, answer := range answers {
				if answer != answers[0] || !strings.HasPrefix(answer, "201/customers/documents/") || !strings.Contains(answer, `"name":"Statuten & é.pdf","customer":"`+customer+`"`) || !strings.Contains(answer, "application/pdf") {
					t.Errorf("the answers are %q and %q", answers[0], answer)
				}
			}
			if w := o.PutTo(path, strings.NewReader("other bytes")); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "TAKEN") {
				t.Errorf("other bytes: %d %s", w.Code, w.Body)
			}
			if n, d := o.KeptFiles(t), len(gatewaytest.All(t, o.Store.Documents())); n != kept+1 || d != documents+1 {
				t.Errorf("one path has made %d files and %d documents", n-kept, d-documents)
			}
			location, _, _ := strings.Cut(strings.TrimPrefix(answers[0], "201"), "{")
			if w := o.Send(t, credential, http.MethodGet, location, ""); w.Code != http.StatusOK || w.Body.String() != content {
				t.Errorf("it is downloaded as %d %q", w.Code, w.Body)
			}
			changes, err := o.Store.Changes(t.Context(), 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if last := changes[len(changes)-1]; last.Action != "createDocument" || last.Noun != backoffice.NounDocument || last.ClientID != credential[0] {
				t.Errorf("the last change is %+v", last)
			}
			second, _ := o.PrepareUpload(t, credential, customer, "a.txt", false)
			if w := o.Send(t, credential, http.MethodDelete, "/customers/"+customer, ""); w.Code != http.StatusNoContent {
				t.Fatal(w.Code, w.Body)
			}
			for what, path := range map[string]string{"that was stored": path, "of nobody now": *second.UploadPath} {
				if w := o.PutTo(path, strings.NewReader(content)); w.Code != http.StatusNotFound {
					t.Errorf("a document %s: %d %s", what, w.Code, w.Body)
				}
			}
		})
	}
}

func TestAnUploadPathIsBoundToAllThatItSaysAndToItsCredential(t *testing.T) {
	t.Parallel()
	o, customer := uploadOffice(t, gatewaytest.Engines["SQLite"](t))
	credential, reader, revoked := o.Credential(t, backoffice.CustomersWrite), o.Credential(t), o.Credential(t, backoffice.AllScopes...)
	if err := auth.Revoke(t.Context(), o.Store, revoked[0]); err != nil {
		t.Fatal(err)
	}
	prepared, body := o.PrepareUpload(t, credential, customer, "a.txt", false)
	if prepared.UploadPath == nil {
		t.Fatal(body)
	}
	path := *prepared.UploadPath
	address, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, value string) string {
		query := address.Query()
		query.Set(name, value)
		return address.Path + "?" + query.Encode()
	}
	signature := address.Query().Get("signature")
	id := strings.TrimPrefix(address.Path, "/uploads/")
	download, err := o.Keys.SignDownload(linkOf(credential), "document", id, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	upload := &backoffice.DocumentUpload{ID: id, CustomerID: customer, Name: "a.txt"}
	ended, err := o.Keys.SignUpload(linkOf(credential), upload, time.Now().Add(-time.Second))
	if err != nil {
		t.Fatal(err)
	}
	documents := len(gatewaytest.All(t, o.Store.Documents()))
	dry, _ := o.PrepareUpload(t, credential, customer, "a.txt", true)
	for what, path := range map[string]string{
		"another document": "/uploads/nobody?" + address.RawQuery, "another customer": with("customer", "nobody"), "another name": with("name", "b.txt"),
		"a changed signature": with("signature", "A"+signature), "no signature": with("signature", ""), "nothing said": address.Path,
		"a download's": with("signature", download), "one that has ended": with("signature", ended), "a dry run's": *dry.UploadPath,
	} {
		w := o.PutTo(path, strings.NewReader("x"))
		if w.Code != http.StatusUnauthorized || w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	soon := backoffice.InstantOf(time.Now().Add(time.Minute).Truncate(time.Second))
	err = o.Store.UpdateCredential(t.Context(), credential[0], func(c *backoffice.Credential) error { c.ExpiresAt = soon; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if prepared, _ := o.PrepareUpload(t, credential, customer, "a.txt", false); prepared.ExpiresAt != nil && prepared.ExpiresAt.Equal(soon.Time()) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a path ends after its credential")
		}
	}
	if w := o.PutTo(path+"&naam=x", strings.NewReader("x")); w.Code != http.StatusBadRequest {
		t.Errorf("an unknown parameter: %d %s", w.Code, w.Body)
	}
	if w := o.Send(t, [2]string{}, http.MethodGet, path, ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "PUT" {
		t.Errorf("it is read: %d %s %s", w.Code, w.Header().Get("Allow"), w.Body)
	}
	if w := o.Send(t, [2]string{}, http.MethodGet, "/files/document/"+id+"?signature="+signature, ""); w.Code != http.StatusUnauthorized {
		t.Errorf("its signature downloads: %d %s", w.Code, w.Body)
	}
	signedBy := func(credential [2]string) string {
		signed, err := o.Keys.SignUpload(linkOf(credential), upload, time.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return upload.Path(signed)
	}
	if w := o.PutTo(signedBy(reader), strings.NewReader("x")); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "customers.write") {
		t.Errorf("the scope was taken: %d %s", w.Code, w.Body)
	}
	if w := o.PutTo(signedBy(revoked), strings.NewReader("x")); w.Code != http.StatusUnauthorized {
		t.Errorf("the credential was revoked: %d %s", w.Code, w.Body)
	}
	if n := len(gatewaytest.All(t, o.Store.Documents())); n != documents {
		t.Errorf("%d documents were made", n-documents)
	}
}

func TestAnUploadPathIsRefusedLikeTheDocumentItself(t *testing.T) {
	t.Parallel()
	o, customer := uploadOffice(t, gatewaytest.Engines["SQLite"](t))
	credential, reader := o.Credential(t, backoffice.CustomersWrite), o.Credential(t)
	for _, c := range []struct{ customer, name, code, field string }{
		{"nobody", "a.txt", "NOT_FOUND", "customerId"}, {"no such id!", "a.txt", "NOT_FOUND", "customerId"},
		{customer, "", "REQUIRED", "name"}, {customer, "a\nb", "INVALID", "name"}, {customer, strings.Repeat("x", 201), "INVALID", "name"},
	} {
		made, body := o.PrepareUpload(t, credential, c.customer, c.name, false)
		if made.UploadPath != nil || made.ExpiresAt != nil || len(made.UserErrors) != 1 || made.UserErrors[0].Code != c.code || fmt.Sprint(made.UserErrors[0].Field) != "["+c.field+"]" {
			t.Errorf("%q of %q: %s", c.name, c.customer, body)
		}
	}
	if _, body := o.PrepareUpload(t, reader, customer, "a.txt", false); !strings.Contains(body, `"FORBIDDEN"`) || !strings.Contains(body, "customers.write") {
		t.Errorf("without the scope: %s", body)
	}
	prepared, body := o.PrepareUpload(t, credential, customer, "a.txt", false)
	if prepared.UploadPath == nil {
		t.Fatal(body)
	}
	now := backoffice.InstantOf(time.Now())
	if err := o.Store.PutMirror(t.Context(), &backoffice.Mirror{Origin: "https://origin.example", ClientID: "pull", Since: now, Nouns: []backoffice.MirroredNoun{{Noun: backoffice.NounDocument}}}); err != nil {
		t.Fatal(err)
	}
	if made, body := o.PrepareUpload(t, credential, customer, "a.txt", false); made.UploadPath != nil || len(made.UserErrors) != 1 || made.UserErrors[0].Code != "NOT_ALLOWED" || made.UserErrors[0].Field != nil {
		t.Errorf("in a mirror: %s", body)
	}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"a path of before": o.PutTo(*prepared.UploadPath, strings.NewReader("x")), "REST": o.Upload(credential, customer, "?name=a.txt", strings.NewReader("x")),
	} {
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "origin.example") {
			t.Errorf("in a mirror by %s: %d %s", what, w.Code, w.Body)
		}
	}
}

// linkOf is by what the signed paths of a credential name it.
func linkOf(credential [2]string) string {
	sum := sha256.Sum256([]byte(credential[1]))
	return (&backoffice.Credential{ID: credential[0]}).Principal(backoffice.CredentialSecret{Digest: sum[:]}.Name()).Link()
}
