-- +goose Up

ALTER TABLE relations
	ADD COLUMN share_percent TEXT COLLATE "C",
	ADD COLUMN vote_percent  TEXT COLLATE "C",
	ADD COLUMN start_date    TEXT COLLATE "C",
	ADD COLUMN end_date      TEXT COLLATE "C",
	ADD COLUMN note          TEXT COLLATE "C",
	ADD COLUMN nominee       BOOLEAN NOT NULL DEFAULT FALSE,
	ADD COLUMN version       BIGINT NOT NULL DEFAULT 1;

-- The triple is unique on each day. A range of one number takes the place of =, which would need an extension.
DROP INDEX relations_triple;
CREATE INDEX relations_triple ON relations (customer_id, related_customer_id, kind);
ALTER TABLE relations ADD CONSTRAINT relations_period EXCLUDE USING gist (
	numrange(hashtextextended(customer_id || ' ' || related_customer_id || ' ' || kind, 0),
		hashtextextended(customer_id || ' ' || related_customer_id || ' ' || kind, 0), '[]') WITH &&,
	daterange(
		make_date(substr(start_date, 1, 4)::int, substr(start_date, 6, 2)::int, substr(start_date, 9, 2)::int),
		make_date(substr(end_date, 1, 4)::int, substr(end_date, 6, 2)::int, substr(end_date, 9, 2)::int), '[]') WITH &&
);
