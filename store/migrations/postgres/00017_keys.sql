-- +goose Up

-- The keys by which this store's values are sealed and found, but for the keys themselves. State: next (known to servers, seals
-- nothing), primary (seals what is new), old (still sealed by), closing (nothing new may be sealed by it), closed (nothing is).
CREATE TABLE keyset_keys (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	fingerprint TEXT COLLATE "C" NOT NULL,
	prefix      BYTEA NOT NULL, -- with which what it has sealed begins
	state       TEXT COLLATE "C" NOT NULL,
	made_at     BIGINT NOT NULL,
	turned_at   BIGINT NOT NULL, -- when it became the primary; 0 for never
	closed_at   BIGINT NOT NULL
);

-- Who has the keyset open, which of these keys it knows, by which one it seals, and until when it may do so without asking again.
CREATE TABLE keyset_users (
	id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name  TEXT COLLATE "C" NOT NULL,
	knows TEXT COLLATE "C" NOT NULL,
	seals TEXT COLLATE "C" NOT NULL,
	until BIGINT NOT NULL
);

-- A number that was sealed before its key was closed and is written after it would never be found again.
-- +goose StatementBegin
CREATE FUNCTION refuse_closed_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Who closes an old key waits for those who still seal by it.
	PERFORM 1 FROM keyset_keys k WHERE k.state = 'old' AND (k.prefix = substr(new.registration, 1, 5) OR k.prefix = substr(new.spouse_registration, 1, 5)) FOR SHARE;
	IF EXISTS (SELECT 1 FROM keyset_keys k WHERE k.state IN ('closing', 'closed') AND
		((TG_OP = 'INSERT' OR new.registration IS DISTINCT FROM old.registration) AND k.prefix = substr(new.registration, 1, 5) OR
		(TG_OP = 'INSERT' OR new.spouse_registration IS DISTINCT FROM old.spouse_registration) AND k.prefix = substr(new.spouse_registration, 1, 5))) THEN
		RAISE EXCEPTION 'a registration number is sealed by a key that is closed';
	END IF;
	RETURN new;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER customers_closed_key_insert BEFORE INSERT ON customers FOR EACH ROW
	WHEN (new.registration IS NOT NULL OR new.spouse_registration IS NOT NULL) EXECUTE FUNCTION refuse_closed_key();
CREATE TRIGGER customers_closed_key_update BEFORE UPDATE OF registration, spouse_registration ON customers FOR EACH ROW
	WHEN (new.registration IS DISTINCT FROM old.registration OR new.spouse_registration IS DISTINCT FROM old.spouse_registration) EXECUTE FUNCTION refuse_closed_key();
