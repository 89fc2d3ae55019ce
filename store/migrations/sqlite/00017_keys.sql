-- +goose Up

-- The keys by which this store's values are sealed and found, but for the keys themselves. State: next (known to servers, seals
-- nothing), primary (seals what is new), old (still sealed by), closing (nothing new may be sealed by it), closed (nothing is).
CREATE TABLE keyset_keys (
	id          TEXT NOT NULL PRIMARY KEY,
	fingerprint TEXT NOT NULL,
	prefix      BLOB NOT NULL, -- with which what it has sealed begins
	state       TEXT NOT NULL,
	made_at     INTEGER NOT NULL,
	turned_at   INTEGER NOT NULL, -- when it became the primary; 0 for never
	closed_at   INTEGER NOT NULL
) WITHOUT ROWID;

-- Who has the keyset open, which of these keys it knows, by which one it seals, and until when it may do so without asking again.
CREATE TABLE keyset_users (
	id    TEXT NOT NULL PRIMARY KEY,
	name  TEXT NOT NULL,
	knows TEXT NOT NULL,
	seals TEXT NOT NULL,
	until INTEGER NOT NULL
) WITHOUT ROWID;

-- A number that was sealed before its key was closed and is written after it would never be found again.
-- +goose StatementBegin
CREATE TRIGGER customers_closed_key_insert BEFORE INSERT ON customers
WHEN (new.registration IS NOT NULL OR new.spouse_registration IS NOT NULL) AND EXISTS (SELECT 1 FROM keyset_keys k
	WHERE k.state IN ('closing', 'closed') AND (k.prefix = substr(new.registration, 1, 5) OR k.prefix = substr(new.spouse_registration, 1, 5))) BEGIN
	SELECT RAISE(ABORT, 'a registration number is sealed by a key that is closed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_closed_key_update BEFORE UPDATE OF registration, spouse_registration ON customers
WHEN (new.registration IS NOT old.registration OR new.spouse_registration IS NOT old.spouse_registration) AND EXISTS (SELECT 1 FROM keyset_keys k
	WHERE k.state IN ('closing', 'closed') AND (new.registration IS NOT old.registration AND k.prefix = substr(new.registration, 1, 5)
		OR new.spouse_registration IS NOT old.spouse_registration AND k.prefix = substr(new.spouse_registration, 1, 5))) BEGIN
	SELECT RAISE(ABORT, 'a registration number is sealed by a key that is closed');
END;
-- +goose StatementEnd
