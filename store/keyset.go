package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

func (s *Store) ClaimKeyset(ctx context.Context, fingerprint string) error {
	claimed, err := s.keptFingerprint(ctx, "keyset", fingerprint)
	if err == nil && claimed != fingerprint {
		err = backoffice.Errorf(backoffice.BadInput, "the keyset is not the one that this database was filled with:"+
			" pass that one with --keyset; with another, registration numbers cannot be read or found")
	}
	return err
}

// ClaimedKeyset is the fingerprint of the keyset that the database was filled with, "" when none has claimed it.
func (s *Store) ClaimedKeyset(ctx context.Context) (string, error) {
	return firstText(ctx, s.primary(), "SELECT "+naming("keyset", "one")+"fingerprint FROM keyset")
}

// keptFingerprint returns the fingerprint in a table: the given one, unless another server was first.
func (s *Store) keptFingerprint(ctx context.Context, table, first string) (string, error) {
	read := "SELECT " + naming(table, "one") + "fingerprint FROM " + table
	kept, err := firstText(ctx, s.primary(), read)
	if err != nil || kept != "" {
		return kept, err
	}
	if _, err := s.execAlone(ctx, "INSERT "+naming(table, "insert")+"INTO "+table+" (only_row, fingerprint)"+
		" VALUES (1, $1) ON CONFLICT DO NOTHING", first); err != nil {
		return "", err
	}
	return firstText(ctx, s.primary(), read)
}
