-- +goose Up

-- The name of this store, which the files beside it are marked with: one row, written once.
CREATE TABLE identity (
	only_row    INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
	fingerprint TEXT NOT NULL
);

-- Uploads that go on. The last 13 characters of a file's key name the upload that wrote it.
CREATE TABLE uploads (
	id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	until BIGINT NOT NULL -- when its lease runs out
);

-- Files that no record names and that were set aside, or were brought back and are kept for as long.
CREATE TABLE quarantined_files (
	file_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	at       BIGINT NOT NULL,
	released BOOLEAN NOT NULL
);
CREATE INDEX quarantined_files_released ON quarantined_files (at) WHERE released;
