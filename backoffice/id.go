package backoffice

import "github.com/google/uuid"

// maxID is the most characters an identifier has; all of them are ASCII.
const maxID = 64

// MaxVersion is the largest version of a record; it fits GraphQL's Int of 32 bits.
const MaxVersion = 2_000_000_000

// NextVersion is the version after another one, at least from, and 1 after MaxVersion. See Tx.VersionsFrom.
func NextVersion(version, from int) int {
	if version < from {
		return from
	}
	return version%MaxVersion + 1
}

// NewID makes the identifier of a new object: a UUIDv7, so that identifiers of later objects sort later.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// CheckID reports whether a text can be an identifier: 1 to 64 characters of A-Z a-z 0-9 _ -. If not, it is BadInput.
func CheckID(id string) error {
	if IsID(id) {
		return nil
	}
	return Errorf(BadInput, "an identifier must have 1 to %d characters of A-Z a-z 0-9 _ -", maxID)
}

// IsID is CheckID without a reason.
func IsID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if !inIDs[id[i]] {
			return false
		}
	}
	return true
}

// inIDs has the characters of identifiers. It is a table because every list of rows is read by its identifiers.
var inIDs = func() (in [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") {
		in[c] = true
	}
	return in
}()
