-- +goose Up

-- A letter for each of an entry's parents tells of which noun it is. NULL in the entries of programs that did not tell.
ALTER TABLE changes ADD COLUMN parent_nouns TEXT;

-- The feed reads a noun's entries in their order. Entries of nothing but registration numbers are apart from the others.
CREATE INDEX changes_feed ON changes (CASE WHEN noun = 'customer' AND fields IN ('registrationNumber', 'spouseRegistrationNumber', 'registrationNumber spouseRegistrationNumber') THEN 'registration numbers' ELSE noun END, sequence);

-- Entries up to this number are gone for whoever reads the log. The last one of them stays as the end of what was removed.
CREATE TABLE change_horizon (
	id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	removed INTEGER NOT NULL
);
INSERT INTO change_horizon (id, removed) VALUES (1, 0);
