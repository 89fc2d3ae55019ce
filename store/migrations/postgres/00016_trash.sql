-- +goose Up

-- What was deleted and can be brought back. Its records are one document, registration numbers sealed as they were; nothing
-- in it is found by what it holds.
CREATE TABLE trash (
	id        TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- of the record that was deleted
	noun      TEXT COLLATE "C" NOT NULL,
	client_id TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	until     BIGINT NOT NULL,
	records   BYTEA NOT NULL
);
CREATE INDEX trash_until ON trash (until);

-- The files that belong to it: no sweep takes them.
CREATE TABLE trash_files (
	file_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	trash_id TEXT COLLATE "C" NOT NULL REFERENCES trash (id) ON DELETE CASCADE
);
CREATE INDEX trash_files_trash ON trash_files (trash_id);
