package store

import (
	"bytes"
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// selectCredentials reads credentials with a row for each secret, or one row without.
const selectCredentials = "SELECT /*backoffice:credentials.list*/ c.id, c.name, c.scopes, c.created_at, c.expires_at," +
	" c.revoked_at, s.digest, s.created_at, s.expires_at, c.documents, c.restriction, c.networks, c.last_used_at," +
	" c.deletes\n" +
	"FROM credentials c LEFT JOIN credential_secrets s ON s.credential_id = c.id"

const orderCredentials = " ORDER BY c.id, s.position"

func queryCredentials(ctx context.Context, conn Conn, text string, args ...any) ([]*backoffice.Credential, error) {
	var credentials []*backoffice.Credential
	err := conn.Query(ctx, text, args, func(row *Row) error {
		id := row.Text(0)
		if len(credentials) == 0 || credentials[len(credentials)-1].ID != id {
			restriction, err := backoffice.ParseRestriction(row.Text(10))
			if err != nil {
				return err
			}
			networks, err := backoffice.ParseNetworks(row.Text(11))
			if err != nil {
				return err
			}
			credentials = append(credentials, &backoffice.Credential{
				ID: id, Name: row.Text(1), Scopes: split[backoffice.Scope](row.Text(2)),
				CreatedAt: row.Instant(3), ExpiresAt: row.Instant(4), RevokedAt: row.Instant(5),
				TrustedOnly: row.Text(9) == trustedDocuments, Restriction: restriction, Networks: networks,
				LastUsedAt: row.Instant(12), NoDeletes: row.Text(13) != anyDeletes,
			})
		}
		if !row.IsNull(6) {
			c := credentials[len(credentials)-1]
			c.Secrets = append(c.Secrets, backoffice.CredentialSecret{
				Digest: bytes.Clone(row.Bytes(6)), CreatedAt: row.Instant(7), ExpiresAt: row.Instant(8),
			})
		}
		return nil
	})
	return credentials, err
}

func (s *Store) Credentials(ctx context.Context) ([]*backoffice.Credential, error) {
	return queryCredentials(ctx, s.primary(), selectCredentials+orderCredentials)
}

func (s *Store) Credential(ctx context.Context, clientID string) (*backoffice.Credential, error) {
	return credential(ctx, s.primary(), clientID)
}

func credential(ctx context.Context, conn Conn, clientID string) (*backoffice.Credential, error) {
	found, err := queryCredentials(ctx, conn, selectCredentials+" WHERE c.id = $1"+orderCredentials, storable(clientID))
	if err == nil && len(found) == 0 {
		return nil, backoffice.Errorf(backoffice.NotFound, "no credential has this client id")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// anyDeletes is stored for a credential that may delete what its scopes allow.
const anyDeletes = "any"

func deletesOf(c *backoffice.Credential) string {
	if c.NoDeletes {
		return "none"
	}
	return anyDeletes
}

// trustedDocuments is stored for a credential that may send only those; scopes and secrets do not record that.
const trustedDocuments = "trusted"

func documentsOf(c *backoffice.Credential) string {
	if c.TrustedOnly {
		return trustedDocuments
	}
	return "any"
}

func instantOrNull(i backoffice.Instant) any {
	if i.IsZero() {
		return nil
	}
	return i.Milliseconds()
}

func (s *Store) CreateCredential(ctx context.Context, c *backoffice.Credential) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		tx.acts = true
		_, err := tx.conn.Exec(ctx, "INSERT /*backoffice:credentials.insert*/ INTO credentials (id, name, scopes,"+
			" created_at, expires_at, revoked_at, documents, restriction, networks, deletes)"+
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
			[]any{c.ID, c.Name, joined(c.Scopes), c.CreatedAt.Milliseconds(), instantOrNull(c.ExpiresAt),
				instantOrNull(c.RevokedAt), documentsOf(c), c.Restriction.String(), c.Networks.String(),
				deletesOf(c)})
		switch {
		case violationOf(err) != nil:
			return takenID()
		case err != nil:
			return err
		}
		return insertSecrets(ctx, tx.conn, c)
	})
}

func joined[S ~string](words []S) string { return strings.Join(collectTexts(words), " ") }

func insertSecrets(ctx context.Context, conn Conn, c *backoffice.Credential) error {
	for i, secret := range c.Secrets {
		if _, err := conn.Exec(ctx, "INSERT /*backoffice:credential_secrets.insert*/ INTO credential_secrets"+
			" (credential_id, position, digest, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
			[]any{c.ID, int64(i), secret.Digest, secret.CreatedAt.Milliseconds(),
				instantOrNull(secret.ExpiresAt)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) UpdateCredential(ctx context.Context, id string, change func(*backoffice.Credential) error) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		tx.acts = true
		// The row is locked before it is read, so that the read sees the changes that the lock waited for.
		lock := "SELECT /*backoffice:credentials.lock*/ id FROM credentials WHERE id = $1" + s.nouns.dialect.forKey
		if err := tx.conn.Query(ctx, lock, []any{storable(id)}, func(*Row) error { return nil }); err != nil {
			return err
		}
		c, err := credential(ctx, tx.conn, id)
		if err != nil {
			return err
		}
		created := c.CreatedAt
		if err := change(c); err != nil {
			return err
		}
		c.ID, c.CreatedAt = id, created
		_, err = tx.conn.Exec(ctx, "UPDATE /*backoffice:credentials.update*/ credentials SET name = $2, scopes = $3,"+
			" expires_at = $4, revoked_at = $5, documents = $6, restriction = $7, networks = $8, deletes = $9"+
			" WHERE id = $1",
			[]any{id, c.Name, joined(c.Scopes), instantOrNull(c.ExpiresAt),
				instantOrNull(c.RevokedAt), documentsOf(c), c.Restriction.String(), c.Networks.String(),
				deletesOf(c)})
		if err != nil {
			return err
		}
		if _, err := tx.conn.Exec(ctx, "DELETE /*backoffice:credential_secrets.delete*/ FROM credential_secrets"+
			" WHERE credential_id = $1", []any{id}); err != nil {
			return err
		}
		return insertSecrets(ctx, tx.conn, c)
	})
}

func (s *Store) CredentialsUsed(ctx context.Context, clientIDs []string, day backoffice.Instant) error {
	d := s.nouns.dialect
	text := "UPDATE /*backoffice:credentials.used*/ credentials SET last_used_at = $2" +
		" WHERE " + d.among("id") + " AND (last_used_at IS NULL OR last_used_at < $2)"
	return s.repeat(ctx, &Statement{Text: text, Args: []any{d.List(storableAll(clientIDs)), day.Milliseconds()}})
}
