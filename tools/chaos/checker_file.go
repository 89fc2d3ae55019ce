package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"example.org/backoffice/tools/rig"
)

// fileSize is how many bytes a document has: more than one write to a disk.
const fileSize = 20_000

// upload sends a document and remembers its digest.
func (w *checker) upload() {
	c := w.newCreation("CUSTOMER_DOCUMENT", nil)
	line := []byte(c.key + "\n")
	content := bytes.Repeat(line, fileSize/len(line))
	c.name, c.body = fmt.Sprintf("%x.txt", sha256.Sum256([]byte(c.key))), content
	c.path = fmt.Sprintf("/customers/%s/documents?name=%s", w.ids[0], c.name)
	w.send(c, false)
}

// download looks for a document that was acknowledged, and for all of its bytes.
func (w *checker) download(id, digest string) {
	a, err := w.asks().Get("/customers/documents/" + id + "/download")
	switch {
	case err == nil && a.Status == http.StatusNotFound:
		w.of.addf(&w.of.lost, "a document that was sent is gone: %s", a.Body)
	case w.rest(a, err, http.StatusOK) && digestOf(a.Body) != digest:
		w.of.addf(&w.of.torn, "a document has %d bytes that are not those that were sent", len(a.Body))
	}
}

// rest reports whether REST answered as hoped; what it answered otherwise has to be as the contract names it.
func (w *checker) rest(a rig.Answer, err error, hoped int) (ok bool) {
	later := a.Header.Get("Retry-After") != ""
	switch {
	case err != nil:
		if !w.deaf() {
			w.of.addf(&w.of.wrong, "no answer: %v", err)
		}
	case a.Status == hoped:
		return true
	case a.Status == http.StatusGatewayTimeout, (a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests) && later:
		w.of.addf(&w.of.refused, "")
	default:
		w.of.addf(&w.of.wrong, "status %d, Retry-After %v: %.300s", a.Status, later, a.Body)
	}
	return false
}

func digestOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
