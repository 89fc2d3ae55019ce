package evidence

import (
	"encoding/json"
	"io"

	"example.org/backoffice/backoffice"
)

// Format identifies packs that Verify reads.
const Format = "backoffice evidence 1"

// Names of the entries that every pack has.
const (
	ManifestName  = "manifest.json"
	SignatureName = "manifest.sig" // 64 bytes
	KeyName       = "signing-key.pem"
	PageName      = "verify.html"
)

// Manifest is what is signed. It lists every entry but itself and its signature.
type Manifest struct {
	Format     string    `json:"format"`
	CustomerID string    `json:"customer"`
	From       string    `json:"from,omitempty"` // the first day of the journal and the register; "" for the beginning
	To         string    `json:"to"`             // the last day, and that of the owners
	Language   string    `json:"language"`
	Requester  Requester `json:"askedBy"`
	Purpose    *string   `json:"purpose"`
	Position   Position  `json:"position"`
	Register   Register  `json:"register"`
	// RegistrationNumbers reports whether the numbers themselves are in the pack.
	RegistrationNumbers bool    `json:"registrationNumbers"`
	LeftOut             []Part  `json:"leftOut"`
	Key                 string  `json:"key"` // the fingerprint of the signing key
	Entries             []Entry `json:"entries"`
}

// Requester is the credential, or the person, who asked for the pack.
type Requester struct {
	ClientID   string `json:"clientId"`
	Name       string `json:"name"`
	Issuer     string `json:"issuer,omitempty"`
	Subject    string `json:"subject,omitempty"`
	Restricted bool   `json:"restricted"` // it sees some customers only: the pack has what follows from these
}

// Position is where the change log was when the pack was read.
type Position struct {
	Cursor string             `json:"cursor"`
	At     backoffice.Instant `json:"at"` // of the last change
}

// Register is the state of the register of consultations, for consultations verify --receipt.
type Register struct {
	Receipt string             `json:"receipt,omitempty"` // none for a restricted credential: it counts all entries
	Until   backoffice.Instant `json:"until"`             // the receipt covers the entries until then
}

// Part is a part of packs that this one lacks, because the caller lacks a scope.
type Part struct {
	Name          string `json:"part"`
	RequiredScope string `json:"requiredScope"`
}

// Entry is a file in the pack.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// WriteJSON writes a value as the JSON of packs is written.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
