-- +goose Up

-- What was deleted and can be brought back. Its records are one document, registration numbers sealed as they were; nothing
-- in it is found by what it holds.
CREATE TABLE trash (
	id        TEXT NOT NULL PRIMARY KEY, -- of the record that was deleted
	noun      TEXT NOT NULL,
	client_id TEXT NOT NULL,
	at        INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	records   BLOB NOT NULL
);
CREATE INDEX trash_until ON trash (until);

-- The files that belong to it: no sweep takes them.
CREATE TABLE trash_files (
	file_key TEXT NOT NULL PRIMARY KEY,
	trash_id TEXT NOT NULL REFERENCES trash (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX trash_files_trash ON trash_files (trash_id);
