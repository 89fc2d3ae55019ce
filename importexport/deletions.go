package importexport

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
)

// shareOfDeletions is the part of a noun that may be deleted at a time: one record in so many.
const shareOfDeletions = 50

// MostDeletions is how many of a noun's records an import or a pull deletes at a time: 2 in 100, one of few, and as
// many as its operator allowed.
func MostDeletions(records, allowed int) int { return max(records/shareOfDeletions, allowed, 1) }

// checkDeletions rejects a file that deletes too many of the noun's records.
func (l *staging[T, C]) checkDeletions(ctx context.Context) error {
	deletions := 0
	for _, line := range l.staged.lines {
		if line.deleted {
			deletions++
		}
	}
	if deletions <= 1 || l.im.stream || l.im.undo > 0 { // a pull has asked already
		return nil
	}
	records, err := backoffice.CountAll(ctx, l.rows, *new(C))
	if err != nil {
		return err
	}
	if most := MostDeletions(records, l.im.AllowDeletions); deletions > most {
		return fmt.Errorf("it deletes %d of %d records, and at most %d are deleted at a time; pass "+
			"--allow-deletions %[1]d if that is right", deletions, records, most)
	}
	return nil
}
