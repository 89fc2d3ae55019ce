-- +goose Up

-- Calculations are listed by themselves.
CREATE INDEX calculations_state ON calculations (state, id);
CREATE INDEX calculations_with_proposal ON calculations (id) WHERE file_key IS NOT NULL;
CREATE INDEX calculations_without_proposal ON calculations (id) WHERE file_key IS NULL;

-- When a transcript was created, completed and sent, and when its document was generated; NULL when that is not known. Of the
-- stored ones the change log knows it: they were created by being assigned, and the last entry that names a field tells when
-- it became what it is. An import's first entry about a transcript tells only that it was so by then.
ALTER TABLE transcripts ADD COLUMN created_at INTEGER;
ALTER TABLE transcripts ADD COLUMN completed_at INTEGER;
ALTER TABLE transcripts ADD COLUMN document_generated_at INTEGER;
ALTER TABLE transcripts ADD COLUMN sent_at INTEGER;
WITH entries AS (
	SELECT sequence, action, object_id, ' ' || fields || ' ' AS fields, MIN(sequence) OVER (PARTITION BY object_id) AS first
	FROM changes WHERE noun = 'transcript'
), told AS (
	SELECT object_id,
		MAX(CASE WHEN action = 'assignChecklist' THEN sequence END) AS created,
		MAX(CASE WHEN fields LIKE '% isCompleted %' AND NOT (action = 'import' AND sequence = first) THEN sequence END) AS completed,
		MAX(CASE WHEN (fields LIKE '% documentGenerated %' OR fields LIKE '% file %') AND NOT (action = 'import' AND sequence = first) THEN sequence END) AS generated,
		MAX(CASE WHEN fields LIKE '% status %' AND NOT (action = 'import' AND sequence = first) THEN sequence END) AS sent
	FROM entries GROUP BY object_id HAVING COUNT(fields) = COUNT(*) -- not one that was deleted and is there again
)
UPDATE transcripts SET
	created_at = (SELECT c.at FROM changes c WHERE c.sequence = told.created),
	completed_at = (SELECT c.at FROM changes c WHERE c.sequence = told.completed AND is_completed),
	document_generated_at = (SELECT c.at FROM changes c WHERE c.sequence = told.generated AND document_generated),
	sent_at = (SELECT c.at FROM changes c WHERE c.sequence = told.sent AND own_status = 'SENT')
FROM told WHERE told.object_id = transcripts.id;

-- Names as lists are ordered by them: case and accents ignored. The program folds those of stored rows.
ALTER TABLE users ADD COLUMN name_folded TEXT NOT NULL DEFAULT '';
CREATE INDEX users_name_folded ON users (name_folded, id);
ALTER TABLE labels ADD COLUMN name_folded TEXT NOT NULL DEFAULT '';
CREATE INDEX labels_name_folded ON labels (name_folded, id);
ALTER TABLE checklists ADD COLUMN name_folded TEXT NOT NULL DEFAULT '';
CREATE INDEX checklists_name_folded ON checklists (name_folded, id);
ALTER TABLE documents ADD COLUMN name_folded TEXT NOT NULL DEFAULT '';
CREATE INDEX documents_name_folded ON documents (name_folded, id);
CREATE INDEX checklists_year_name ON checklists (financial_year_id, name_folded, id);
CREATE INDEX documents_customer_name ON documents (customer_id, name_folded, id);
