-- +goose Up

-- When a row's latest change became visible, in the order of the change log: what updatedSince goes by. A row of a large
-- write has the instant at which it was written instead, and late_writes tells when that became visible.
ALTER TABLE customers ADD COLUMN visible_at BIGINT NOT NULL DEFAULT 0;
UPDATE customers SET visible_at = updated_at;
CREATE INDEX customers_visible ON customers (visible_at, id);

ALTER TABLE transcripts ADD COLUMN visible_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE transcripts ADD COLUMN left_at BIGINT NOT NULL DEFAULT 0; -- when a calculation last left it; 0 is never
UPDATE transcripts SET visible_at = updated_at;
CREATE INDEX transcripts_visible ON transcripts (visible_at, id, status);

ALTER TABLE changes ADD COLUMN visible_at BIGINT NOT NULL DEFAULT 0; -- 0 in entries from before

CREATE TABLE late_writes (
	written_at BIGINT NOT NULL PRIMARY KEY,
	visible_at BIGINT NOT NULL
);
CREATE INDEX late_writes_visible ON late_writes (visible_at, written_at);

-- The least visible_at of a row that became visible since an instant. A function, so that the planner knows its value.
-- +goose StatementBegin
CREATE FUNCTION visible_from(since BIGINT) RETURNS BIGINT LANGUAGE sql STABLE AS $$
	SELECT LEAST(since, MIN(written_at)) FROM late_writes WHERE visible_at >= since
$$;
-- +goose StatementEnd
