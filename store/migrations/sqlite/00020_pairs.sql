-- +goose Up

-- From where a credential pair signs in: networks with blanks between, '' for everywhere.
ALTER TABLE credentials ADD COLUMN networks TEXT NOT NULL DEFAULT '';
-- The beginning of the last day (UTC) on which it was used, in milliseconds since 1970.
ALTER TABLE credentials ADD COLUMN last_used_at INTEGER;
