-- +goose Up
CREATE TABLE discrepancies (
	id               TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	kind             TEXT COLLATE "C" NOT NULL,
	customer_id      TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	person_id        TEXT COLLATE "C" NOT NULL,
	declared_percent TEXT COLLATE "C",
	computed_percent TEXT COLLATE "C",
	seen_at          BIGINT NOT NULL,
	closed_at        BIGINT,
	reported_at      BIGINT,
	note             TEXT COLLATE "C",
	version          BIGINT NOT NULL
);
CREATE INDEX discrepancies_customer ON discrepancies (customer_id, id);
CREATE INDEX discrepancies_person ON discrepancies (person_id, id);
CREATE INDEX discrepancies_open ON discrepancies (customer_id) WHERE closed_at IS NULL;
CREATE TRIGGER discrepancies_count_insert AFTER INSERT ON discrepancies REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('discrepancy');
CREATE TRIGGER discrepancies_count_delete AFTER DELETE ON discrepancies REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('discrepancy');
