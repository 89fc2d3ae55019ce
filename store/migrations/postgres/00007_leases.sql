-- +goose Up

-- Who does what only one may do at a time.
CREATE TABLE leases (
	name   TEXT NOT NULL PRIMARY KEY,
	holder TEXT NOT NULL,
	since  BIGINT NOT NULL,
	until  BIGINT NOT NULL
);
