package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

// ClaimKeyset implements backoffice.Store.
func (s *Store) ClaimKeyset(ctx context.Context, fingerprint string) error {
	claimed, err := s.keyset(ctx)
	if err != nil {
		return err
	}
	if claimed == "" {
		if claimed, err = s.claimKeyset(ctx, fingerprint); err != nil {
			return err
		}
	}
	if claimed != fingerprint {
		return backoffice.Errorf(backoffice.BadInput, "the keyset is not the one that this database was filled with: give that one with --keyset, for with another the registration numbers can neither be read nor found")
	}
	return nil
}

func (s *Store) keyset(ctx context.Context) (fingerprint string, err error) {
	err = s.primary().Query(ctx, "SELECT fingerprint FROM keyset", nil, func(row *Row) error {
		fingerprint = row.Text(0)
		return nil
	})
	return fingerprint, err
}

// claimKeyset writes the fingerprint unless another server was first, and returns the one that holds.
func (s *Store) claimKeyset(ctx context.Context, fingerprint string) (string, error) {
	err := s.write(ctx, func(ctx context.Context, tx *tx) error {
		_, err := tx.conn.Exec(ctx, "INSERT INTO keyset (only_row, fingerprint) VALUES (1, $1) ON CONFLICT DO NOTHING", []any{fingerprint})
		return err
	})
	if err != nil {
		return "", err
	}
	return s.keyset(ctx)
}
