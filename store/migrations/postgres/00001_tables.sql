-- +goose Up

CREATE TABLE labels (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name       TEXT COLLATE "C" NOT NULL,
	color      TEXT COLLATE "C",
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX labels_name ON labels (name);

CREATE TABLE users (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	first_name  TEXT COLLATE "C" NOT NULL,
	last_name   TEXT COLLATE "C" NOT NULL,
	email       TEXT COLLATE "C" NOT NULL,
	language    TEXT COLLATE "C",
	version     BIGINT NOT NULL,
	search_text TEXT COLLATE "C" NOT NULL
);

CREATE TABLE user_labels (
	user_id  TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	position BIGINT NOT NULL,
	label_id TEXT COLLATE "C" NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, position)
);
CREATE INDEX user_labels_label ON user_labels (label_id);

CREATE TABLE financial_years (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	start_date  TEXT COLLATE "C" NOT NULL,
	end_date    TEXT COLLATE "C" NOT NULL,
	is_current  BOOLEAN NOT NULL,
	archived_at BIGINT
);
CREATE UNIQUE INDEX financial_years_current ON financial_years (is_current) WHERE is_current;

CREATE TABLE checklists (
	id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name              TEXT COLLATE "C" NOT NULL,
	language          TEXT COLLATE "C",
	auth_required     BOOLEAN NOT NULL,
	reminders_enabled BOOLEAN NOT NULL,
	financial_year_id TEXT COLLATE "C" NOT NULL REFERENCES financial_years (id)
);
CREATE INDEX checklists_year ON checklists (financial_year_id, id);
CREATE INDEX checklists_language ON checklists (language, id);

CREATE TABLE customers (
	id                        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	type                      TEXT COLLATE "C" NOT NULL,
	own_name                  TEXT COLLATE "C",
	first_name                TEXT COLLATE "C",
	last_name                 TEXT COLLATE "C",
	display_name              TEXT COLLATE "C" NOT NULL,
	scopes                    TEXT COLLATE "C",
	kbo_number                TEXT COLLATE "C",
	company_type              TEXT COLLATE "C",
	street                    TEXT COLLATE "C",
	house_number              TEXT COLLATE "C",
	box                       TEXT COLLATE "C",
	postal_code               TEXT COLLATE "C",
	city                      TEXT COLLATE "C",
	country                   TEXT COLLATE "C",
	customer_code             TEXT COLLATE "C",
	registration              BYTEA,
	registration_index        BYTEA,
	spouse_registration       BYTEA,
	spouse_registration_index BYTEA,
	responsible_id            TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
	language                  TEXT COLLATE "C",
	email                     TEXT COLLATE "C",
	phone                     TEXT COLLATE "C",
	created_at                BIGINT NOT NULL,
	updated_at                BIGINT NOT NULL,
	version                   BIGINT NOT NULL,
	name_folded               TEXT COLLATE "C" NOT NULL,
	email_folded              TEXT COLLATE "C",
	search_text               TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX customers_code ON customers (customer_code) WHERE customer_code IS NOT NULL;
CREATE INDEX customers_name ON customers (name_folded, id);
CREATE INDEX customers_created ON customers (created_at, id);
CREATE INDEX customers_updated ON customers (updated_at, id);
CREATE INDEX customers_type ON customers (type, id);
CREATE INDEX customers_type_name ON customers (type, name_folded, id);
CREATE INDEX customers_language ON customers (language, id) WHERE language IS NOT NULL;
CREATE INDEX customers_language_name ON customers (language, name_folded, id) WHERE language IS NOT NULL;
CREATE INDEX customers_responsible ON customers (responsible_id, id) WHERE responsible_id IS NOT NULL;
CREATE INDEX customers_email ON customers (email_folded, id) WHERE email_folded IS NOT NULL;
CREATE INDEX customers_kbo ON customers (kbo_number, id) WHERE kbo_number IS NOT NULL;
CREATE INDEX customers_company_type ON customers (company_type, id) WHERE company_type IS NOT NULL;
CREATE INDEX customers_registration ON customers (registration_index, id) WHERE registration_index IS NOT NULL;
CREATE INDEX customers_spouse_registration ON customers (spouse_registration_index, id) WHERE spouse_registration_index IS NOT NULL;

CREATE TABLE customer_scopes (
	scope       TEXT COLLATE "C" NOT NULL,
	customer_id TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	PRIMARY KEY (scope, customer_id)
);
CREATE INDEX customer_scopes_customer ON customer_scopes (customer_id);

CREATE TABLE relations (
	id                  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	kind                TEXT COLLATE "C" NOT NULL,
	customer_id         TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	related_customer_id TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	created_at          BIGINT NOT NULL
);
CREATE UNIQUE INDEX relations_triple ON relations (customer_id, related_customer_id, kind);
CREATE INDEX relations_customer ON relations (customer_id, id);
CREATE INDEX relations_related ON relations (related_customer_id, id);
CREATE INDEX relations_kind ON relations (kind, id);

CREATE TABLE transcripts (
	id                 TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	own_status         TEXT COLLATE "C" NOT NULL,
	own_updated_at     BIGINT NOT NULL,
	status             TEXT COLLATE "C" NOT NULL, -- own_status, or the state of the calculation
	updated_at         BIGINT NOT NULL,  -- the later of own_updated_at and the calculation's
	is_completed       BOOLEAN NOT NULL,
	progress           DOUBLE PRECISION NOT NULL,
	document_generated BOOLEAN NOT NULL,
	custom_variables   TEXT COLLATE "C",
	customer_id        TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	checklist_id       TEXT COLLATE "C" NOT NULL REFERENCES checklists (id),
	financial_year_id  TEXT COLLATE "C" NOT NULL REFERENCES financial_years (id),
	file_key          TEXT COLLATE "C",
	file_content_type TEXT COLLATE "C",
	file_size         BIGINT,
	file_md5          TEXT COLLATE "C",
	file_sha256       BYTEA,
	file_created_at   BIGINT
);
CREATE INDEX transcripts_updated ON transcripts (updated_at, id, status);
CREATE INDEX transcripts_progress ON transcripts (progress, id);
-- What follows the identifier serves counting: such a count never visits the table.
CREATE INDEX transcripts_status ON transcripts (status, id, is_completed, document_generated);
CREATE INDEX transcripts_completed ON transcripts (is_completed, document_generated, id);
CREATE INDEX transcripts_customer ON transcripts (customer_id, id);
CREATE INDEX transcripts_checklist ON transcripts (checklist_id, id);
CREATE INDEX transcripts_checklist_customer ON transcripts (checklist_id, customer_id);
CREATE INDEX transcripts_checklist_updated ON transcripts (checklist_id, updated_at, id);
CREATE INDEX transcripts_checklist_status ON transcripts (checklist_id, status, id, is_completed, document_generated);
CREATE INDEX transcripts_year ON transcripts (financial_year_id, id);
CREATE INDEX transcripts_year_updated ON transcripts (financial_year_id, updated_at, id);
CREATE INDEX transcripts_year_progress ON transcripts (financial_year_id, progress, id);
CREATE INDEX transcripts_year_status ON transcripts (financial_year_id, status, id, is_completed, document_generated);
CREATE INDEX transcripts_file ON transcripts (file_key) WHERE file_key IS NOT NULL;

CREATE TABLE calculations (
	id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	state         TEXT COLLATE "C" NOT NULL,
	updated_at    BIGINT NOT NULL,
	transcript_id TEXT COLLATE "C" NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
	customer_id   TEXT COLLATE "C" NOT NULL, -- the transcript's
	file_key          TEXT COLLATE "C",
	file_content_type TEXT COLLATE "C",
	file_size         BIGINT,
	file_md5          TEXT COLLATE "C",
	file_sha256       BYTEA,
	file_created_at   BIGINT
);
CREATE UNIQUE INDEX calculations_transcript ON calculations (transcript_id);
CREATE INDEX calculations_customer ON calculations (customer_id, id);
CREATE INDEX calculations_customer_updated ON calculations (customer_id, updated_at, id);
CREATE INDEX calculations_updated ON calculations (updated_at, id);
CREATE INDEX calculations_proposal ON calculations (customer_id, updated_at, id) WHERE file_key IS NOT NULL;
CREATE INDEX calculations_file ON calculations (file_key) WHERE file_key IS NOT NULL;

CREATE TABLE documents (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name        TEXT COLLATE "C" NOT NULL,
	customer_id TEXT COLLATE "C" NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	created_at  BIGINT NOT NULL,
	file_key          TEXT COLLATE "C",
	file_content_type TEXT COLLATE "C",
	file_size         BIGINT,
	file_md5          TEXT COLLATE "C",
	file_sha256       BYTEA,
	file_created_at   BIGINT
);
CREATE INDEX documents_customer ON documents (customer_id, id);
CREATE INDEX documents_file ON documents (file_key) WHERE file_key IS NOT NULL;

CREATE TABLE minfin_documents (
	id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name              TEXT COLLATE "C" NOT NULL,
	document_type     TEXT COLLATE "C" NOT NULL,
	customer_id       TEXT COLLATE "C" REFERENCES customers (id) ON DELETE CASCADE,
	financial_year_id TEXT COLLATE "C" REFERENCES financial_years (id),
	synchronised_at   BIGINT NOT NULL,
	file_key          TEXT COLLATE "C",
	file_content_type TEXT COLLATE "C",
	file_size         BIGINT,
	file_md5          TEXT COLLATE "C",
	file_sha256       BYTEA,
	file_created_at   BIGINT
);
CREATE INDEX minfin_documents_customer ON minfin_documents (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX minfin_documents_year ON minfin_documents (financial_year_id, id) WHERE financial_year_id IS NOT NULL;
CREATE INDEX minfin_documents_type ON minfin_documents (document_type, id);
CREATE INDEX minfin_documents_synchronised ON minfin_documents (synchronised_at, id);
CREATE INDEX minfin_documents_file ON minfin_documents (file_key) WHERE file_key IS NOT NULL;

-- Files whose records are gone, until their BYTEA are.
CREATE TABLE forgotten_files (
	file_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	at       BIGINT NOT NULL
);

-- The register of consultations. A customer that is named in it may be gone.
CREATE TABLE consultations (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	at          BIGINT NOT NULL,
	client_id   TEXT COLLATE "C" NOT NULL,
	client_name TEXT COLLATE "C" NOT NULL,
	purpose     TEXT COLLATE "C",
	operation   TEXT COLLATE "C" NOT NULL,
	customer_id TEXT COLLATE "C",
	fields      TEXT COLLATE "C",
	chain       BIGINT NOT NULL,
	number      BIGINT NOT NULL,
	mac         BYTEA
);
CREATE UNIQUE INDEX consultations_place ON consultations (chain, number);
CREATE INDEX consultations_at ON consultations (at, id);
CREATE INDEX consultations_customer ON consultations (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX consultations_customer_at ON consultations (customer_id, at, id) WHERE customer_id IS NOT NULL;

CREATE TABLE consultation_heads (
	chain BIGINT NOT NULL PRIMARY KEY,
	count BIGINT NOT NULL,
	last  BYTEA,
	mac   BYTEA
);

CREATE TABLE changes (
	sequence  BIGINT NOT NULL PRIMARY KEY,
	at        BIGINT NOT NULL,
	client_id TEXT COLLATE "C" NOT NULL,
	action    TEXT COLLATE "C" NOT NULL,
	noun      TEXT COLLATE "C" NOT NULL,
	object_id TEXT COLLATE "C" NOT NULL,
	fields    TEXT COLLATE "C"
);

CREATE TABLE idempotency_keys (
	client_id  TEXT COLLATE "C" NOT NULL,
	noun       TEXT COLLATE "C" NOT NULL,
	key        TEXT COLLATE "C" NOT NULL,
	digest     BYTEA NOT NULL,
	object_id  TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, noun, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

CREATE TABLE credentials (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name       TEXT COLLATE "C" NOT NULL,
	scopes     TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT,
	revoked_at BIGINT
);

CREATE TABLE credential_secrets (
	credential_id TEXT COLLATE "C" NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
	position      BIGINT NOT NULL,
	digest        BYTEA NOT NULL,
	created_at    BIGINT NOT NULL,
	expires_at    BIGINT,
	PRIMARY KEY (credential_id, position)
);

CREATE INDEX users_search ON users USING gin (search_text gin_trgm_ops);
CREATE INDEX customers_search ON customers USING gin (search_text gin_trgm_ops);

-- How many rows each noun has: the sum of n. Transcripts are counted in parts, by status, completion and document. Every
-- statement that adds or removes rows appends what it changed, so that writers never wait for each other's; now and then one folds what others have left
-- into a single row, passing over what is being folded by somebody else.
CREATE TABLE row_counts (
	noun TEXT COLLATE "C" NOT NULL,
	part TEXT COLLATE "C" NOT NULL,
	n    BIGINT NOT NULL
);
CREATE INDEX row_counts_noun ON row_counts (noun);

-- +goose StatementBegin
CREATE FUNCTION fold_row_counts(counted TEXT) RETURNS void LANGUAGE sql AS $$
	WITH folded AS (
		DELETE FROM row_counts WHERE ctid IN (
			SELECT ctid FROM row_counts WHERE noun = counted LIMIT 1000 FOR UPDATE SKIP LOCKED)
		RETURNING part, n)
	INSERT INTO row_counts (noun, part, n) SELECT counted, part, sum(n) FROM folded GROUP BY part HAVING sum(n) <> 0
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO row_counts (noun, part, n)
		SELECT TG_ARGV[0], '', CASE TG_OP WHEN 'DELETE' THEN -count(*) ELSE count(*) END FROM changed_rows HAVING count(*) > 0;
	IF random() < 0.02 THEN
		PERFORM fold_row_counts(TG_ARGV[0]);
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_transcripts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO row_counts (noun, part, n) SELECT 'transcript', status || ' ' || is_completed::int || ' ' || document_generated::int, count(*) FROM new_rows GROUP BY 2;
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO row_counts (noun, part, n) SELECT 'transcript', status || ' ' || is_completed::int || ' ' || document_generated::int, -count(*) FROM old_rows GROUP BY 2;
	ELSE
		INSERT INTO row_counts (noun, part, n)
			SELECT 'transcript', part, sum(n) FROM (
				SELECT status || ' ' || is_completed::int || ' ' || document_generated::int AS part, 1 AS n FROM new_rows
				UNION ALL
				SELECT status || ' ' || is_completed::int || ' ' || document_generated::int, -1 FROM old_rows) changed
			GROUP BY part HAVING sum(n) <> 0;
	END IF;
	IF random() < 0.02 THEN
		PERFORM fold_row_counts('transcript');
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER transcripts_count_insert AFTER INSERT ON transcripts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transcripts();
CREATE TRIGGER transcripts_count_delete AFTER DELETE ON transcripts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transcripts();
CREATE TRIGGER transcripts_count_update AFTER UPDATE ON transcripts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transcripts();
CREATE TRIGGER customers_count_insert AFTER INSERT ON customers REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('customer');
CREATE TRIGGER customers_count_delete AFTER DELETE ON customers REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('customer');
CREATE TRIGGER relations_count_insert AFTER INSERT ON relations REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('relation');
CREATE TRIGGER relations_count_delete AFTER DELETE ON relations REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('relation');
CREATE TRIGGER calculations_count_insert AFTER INSERT ON calculations REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('calculation');
CREATE TRIGGER calculations_count_delete AFTER DELETE ON calculations REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('calculation');
CREATE TRIGGER documents_count_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('document');
CREATE TRIGGER documents_count_delete AFTER DELETE ON documents REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('document');
CREATE TRIGGER minfin_documents_count_insert AFTER INSERT ON minfin_documents REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('minfin document');
CREATE TRIGGER minfin_documents_count_delete AFTER DELETE ON minfin_documents REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('minfin document');
CREATE TRIGGER checklists_count_insert AFTER INSERT ON checklists REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('checklist');
CREATE TRIGGER checklists_count_delete AFTER DELETE ON checklists REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('checklist');
CREATE TRIGGER financial_years_count_insert AFTER INSERT ON financial_years REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('financial year');
CREATE TRIGGER financial_years_count_delete AFTER DELETE ON financial_years REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('financial year');
CREATE TRIGGER users_count_insert AFTER INSERT ON users REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('user');
CREATE TRIGGER users_count_delete AFTER DELETE ON users REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('user');
CREATE TRIGGER labels_count_insert AFTER INSERT ON labels REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('label');
CREATE TRIGGER labels_count_delete AFTER DELETE ON labels REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('label');
CREATE TRIGGER consultations_count_insert AFTER INSERT ON consultations REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('consultation');
CREATE TRIGGER consultations_count_delete AFTER DELETE ON consultations REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rows('consultation');
