-- +goose Up

-- Who does what only one may do at a time.
CREATE TABLE leases (
	name   TEXT NOT NULL PRIMARY KEY,
	holder TEXT NOT NULL,
	since  INTEGER NOT NULL,
	until  INTEGER NOT NULL
) WITHOUT ROWID;
