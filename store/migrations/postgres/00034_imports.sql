-- +goose Up

-- Imports that can be taken back, by the number of their act in the change log.
CREATE TABLE imports (
	number BIGINT NOT NULL PRIMARY KEY,
	until  BIGINT NOT NULL
);

-- The records that they changed. records is one as it was, as in the trash; NULL for a new one. after is a digest of the
-- values that the import left; NULL when it deleted the record.
CREATE TABLE imported (
	import      BIGINT NOT NULL REFERENCES imports (number) ON DELETE CASCADE,
	id          TEXT COLLATE "C" NOT NULL,
	noun        TEXT COLLATE "C" NOT NULL,
	after       BYTEA,
	records     BYTEA,
	customer_id TEXT COLLATE "C", -- with whom it is erased
	file_key    TEXT COLLATE "C", -- of the record as it was: no sweep takes it
	PRIMARY KEY (import, id)
);
CREATE INDEX imported_customer ON imported (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX imported_file ON imported (file_key) WHERE file_key IS NOT NULL;
