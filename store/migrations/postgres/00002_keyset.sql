-- +goose Up

-- The fingerprint of the keyset that seals the registration numbers: one row, written once.
CREATE TABLE keyset (
	only_row    INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
	fingerprint TEXT NOT NULL
);
