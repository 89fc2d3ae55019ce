package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"example.org/backoffice/scripts/rig"
)

// fileSize is how many bytes a document has: more than one write to a disk.
const fileSize = 20_000

// upload sends a document and remembers its digest.
func (w *witness) upload() {
	w.turn++
	content := bytes.Repeat(fmt.Appendf(nil, "%s %d\n", w.name, w.turn), fileSize/20)
	client := w.asks()
	request, err := http.NewRequest(http.MethodPost, fmt.Sprintf("http://%s/customers/%s/documents?name=turn-%d.txt", client.Address, w.ids[0], w.turn), bytes.NewReader(content))
	if err != nil {
		w.of.addf(&w.of.wrong, "%v", err)
		return
	}
	a, err := client.Do(request)
	var made struct {
		ID string `json:"_id"`
	}
	if !w.rest(a, err, http.StatusCreated) {
		return
	}
	if err := json.Unmarshal(a.Body, &made); err != nil || made.ID == "" {
		w.of.addf(&w.of.wrong, "an upload was answered with %.200s", a.Body)
		return
	}
	if w.files == nil {
		w.files = map[string]string{}
	}
	w.files[made.ID] = digestOf(content)
	w.of.addf(&w.of.acknowledged, "")
}

// download looks for a document that was acknowledged, and for all of its bytes.
func (w *witness) download(id, digest string) {
	a, err := w.asks().Get("/customers/documents/" + id + "/download")
	switch {
	case err == nil && a.Status == http.StatusNotFound:
		w.of.addf(&w.of.lost, "a document that was sent is gone: %s", a.Body)
	case w.rest(a, err, http.StatusOK) && digestOf(a.Body) != digest:
		w.of.addf(&w.of.torn, "a document has %d bytes that are not those that were sent", len(a.Body))
	}
}

// rest tells whether REST answered as hoped; what it answered otherwise has to be as the contract names it.
func (w *witness) rest(a rig.Answer, err error, hoped int) (ok bool) {
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
