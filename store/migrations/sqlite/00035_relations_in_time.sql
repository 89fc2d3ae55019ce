-- +goose Up

ALTER TABLE relations ADD COLUMN share_percent TEXT;
ALTER TABLE relations ADD COLUMN vote_percent TEXT;
ALTER TABLE relations ADD COLUMN start_date TEXT;
ALTER TABLE relations ADD COLUMN end_date TEXT;
ALTER TABLE relations ADD COLUMN note TEXT;
ALTER TABLE relations ADD COLUMN nominee INTEGER NOT NULL DEFAULT FALSE;
ALTER TABLE relations ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- The triple is unique on each day.
DROP INDEX relations_triple;
CREATE INDEX relations_triple ON relations (customer_id, related_customer_id, kind);
-- +goose StatementBegin
CREATE TRIGGER relations_same_insert BEFORE INSERT ON relations BEGIN
	SELECT RAISE(ABORT, 'relations_period') WHERE EXISTS (SELECT 1 FROM relations t
		WHERE t.customer_id = NEW.customer_id AND t.related_customer_id = NEW.related_customer_id AND t.kind = NEW.kind
		AND t.id <> NEW.id
		AND (t.start_date IS NULL OR NEW.end_date IS NULL OR t.start_date <= NEW.end_date)
		AND (t.end_date IS NULL OR NEW.start_date IS NULL OR t.end_date >= NEW.start_date));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER relations_same_update
	BEFORE UPDATE OF customer_id, related_customer_id, kind, start_date, end_date ON relations BEGIN
	SELECT RAISE(ABORT, 'relations_period') WHERE EXISTS (SELECT 1 FROM relations t
		WHERE t.customer_id = NEW.customer_id AND t.related_customer_id = NEW.related_customer_id AND t.kind = NEW.kind
		AND t.id <> NEW.id
		AND (t.start_date IS NULL OR NEW.end_date IS NULL OR t.start_date <= NEW.end_date)
		AND (t.end_date IS NULL OR NEW.start_date IS NULL OR t.end_date >= NEW.start_date));
END;
-- +goose StatementEnd
