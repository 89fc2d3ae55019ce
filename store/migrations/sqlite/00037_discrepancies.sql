-- +goose Up
CREATE TABLE discrepancies (
	id               TEXT NOT NULL PRIMARY KEY,
	kind             TEXT NOT NULL,
	customer_id      TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	person_id        TEXT NOT NULL,
	declared_percent TEXT,
	computed_percent TEXT,
	seen_at          INTEGER NOT NULL,
	closed_at        INTEGER,
	reported_at      INTEGER,
	note             TEXT,
	version          INTEGER NOT NULL
);
CREATE INDEX discrepancies_customer ON discrepancies (customer_id, id);
CREATE INDEX discrepancies_person ON discrepancies (person_id, id);
CREATE INDEX discrepancies_open ON discrepancies (customer_id) WHERE closed_at IS NULL;
-- +goose StatementBegin
CREATE TRIGGER discrepancies_count_insert AFTER INSERT ON discrepancies BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('discrepancy', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER discrepancies_count_delete AFTER DELETE ON discrepancies BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('discrepancy', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
