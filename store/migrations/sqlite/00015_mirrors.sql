-- +goose Up

-- The nouns whose records are copies of another office's, and how far they have come.
CREATE TABLE mirrors (
	noun       TEXT NOT NULL PRIMARY KEY,
	origin     TEXT NOT NULL,
	client_id  TEXT NOT NULL,
	since      INTEGER NOT NULL,
	at         INTEGER NOT NULL,
	incomplete INTEGER NOT NULL
) WITHOUT ROWID;

-- What a mirror keeps from one walk to the next: where a walk stands, what it has seen, and what is missing there.
CREATE TABLE mirror_notes (
	name  TEXT NOT NULL PRIMARY KEY,
	value BLOB NOT NULL
);
