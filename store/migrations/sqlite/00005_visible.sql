-- +goose Up

-- When a row's latest change became visible, in the order of the change log: what updatedSince goes by. A row of a large
-- write has the instant at which it was written instead, and late_writes tells when that became visible.
ALTER TABLE customers ADD COLUMN visible_at INTEGER NOT NULL DEFAULT 0;
UPDATE customers SET visible_at = updated_at;
CREATE INDEX customers_visible ON customers (visible_at, id);

ALTER TABLE transcripts ADD COLUMN visible_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transcripts ADD COLUMN left_at INTEGER NOT NULL DEFAULT 0; -- when a calculation last left it; 0 is never
UPDATE transcripts SET visible_at = updated_at;
CREATE INDEX transcripts_visible ON transcripts (visible_at, id, status);

ALTER TABLE changes ADD COLUMN visible_at INTEGER NOT NULL DEFAULT 0; -- 0 in entries from before

CREATE TABLE late_writes (
	written_at INTEGER NOT NULL PRIMARY KEY,
	visible_at INTEGER NOT NULL
);
CREATE INDEX late_writes_visible ON late_writes (visible_at, written_at);
