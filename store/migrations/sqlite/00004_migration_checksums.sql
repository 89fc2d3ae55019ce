-- +goose Up

-- The digests of the steps that made this schema, the earlier ones as well. The program writes them.
CREATE TABLE migration_checksums (
	version  INTEGER NOT NULL PRIMARY KEY,
	checksum TEXT NOT NULL
);
