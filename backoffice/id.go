package backoffice

import "github.com/google/uuid"

// maxID is the most characters an identifier has; all of them are ASCII.
const maxID = 64

// NewID makes the identifier of a new object: a UUIDv7, so that identifiers of later objects sort later.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// CheckID says whether a text can be an identifier: 1 to 64 characters of A-Z a-z 0-9 _ -. If not, it is BadInput.
func CheckID(id string) error {
	ok := id != "" && len(id) <= maxID
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	}
	if !ok {
		return Errorf(BadInput, "an identifier has 1 to %d characters of A-Z a-z 0-9 _ -", maxID)
	}
	return nil
}
