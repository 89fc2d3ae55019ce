-- +goose Up

PRAGMA application_id = 1112491590; -- BOFF

CREATE TABLE labels (
	id         TEXT NOT NULL PRIMARY KEY,
	name       TEXT NOT NULL,
	color      TEXT,
	created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX labels_name ON labels (name);

CREATE TABLE users (
	row_no INTEGER PRIMARY KEY, -- fixed, so that the search index holds on to it
	id          TEXT NOT NULL UNIQUE,
	first_name  TEXT NOT NULL,
	last_name   TEXT NOT NULL,
	email       TEXT NOT NULL,
	language    TEXT,
	version     INTEGER NOT NULL,
	search_text TEXT NOT NULL
);

CREATE TABLE user_labels (
	user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	label_id TEXT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, position)
);
CREATE INDEX user_labels_label ON user_labels (label_id);

CREATE TABLE financial_years (
	id          TEXT NOT NULL PRIMARY KEY,
	start_date  TEXT NOT NULL,
	end_date    TEXT NOT NULL,
	is_current  INTEGER NOT NULL,
	archived_at INTEGER
);
CREATE UNIQUE INDEX financial_years_current ON financial_years (is_current) WHERE is_current;

CREATE TABLE checklists (
	id                TEXT NOT NULL PRIMARY KEY,
	name              TEXT NOT NULL,
	language          TEXT,
	auth_required     INTEGER NOT NULL,
	reminders_enabled INTEGER NOT NULL,
	financial_year_id TEXT NOT NULL REFERENCES financial_years (id)
);
CREATE INDEX checklists_year ON checklists (financial_year_id, id);
CREATE INDEX checklists_language ON checklists (language, id);

CREATE TABLE customers (
	row_no INTEGER PRIMARY KEY, -- fixed, so that the search index holds on to it
	id                        TEXT NOT NULL UNIQUE,
	type                      TEXT NOT NULL,
	own_name                  TEXT,
	first_name                TEXT,
	last_name                 TEXT,
	display_name              TEXT NOT NULL,
	scopes                    TEXT,
	kbo_number                TEXT,
	company_type              TEXT,
	street                    TEXT,
	house_number              TEXT,
	box                       TEXT,
	postal_code               TEXT,
	city                      TEXT,
	country                   TEXT,
	customer_code             TEXT,
	registration              BLOB,
	registration_index        BLOB,
	spouse_registration       BLOB,
	spouse_registration_index BLOB,
	responsible_id            TEXT REFERENCES users (id) ON DELETE SET NULL,
	language                  TEXT,
	email                     TEXT,
	phone                     TEXT,
	created_at                INTEGER NOT NULL,
	updated_at                INTEGER NOT NULL,
	version                   INTEGER NOT NULL,
	name_folded               TEXT NOT NULL,
	email_folded              TEXT,
	search_text               TEXT NOT NULL
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
	scope       TEXT NOT NULL,
	customer_id TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	PRIMARY KEY (scope, customer_id)
) WITHOUT ROWID;
CREATE INDEX customer_scopes_customer ON customer_scopes (customer_id);

CREATE TABLE relations (
	id                  TEXT NOT NULL PRIMARY KEY,
	kind                TEXT NOT NULL,
	customer_id         TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	related_customer_id TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	created_at          INTEGER NOT NULL
);
CREATE UNIQUE INDEX relations_triple ON relations (customer_id, related_customer_id, kind);
CREATE INDEX relations_customer ON relations (customer_id, id);
CREATE INDEX relations_related ON relations (related_customer_id, id);
CREATE INDEX relations_kind ON relations (kind, id);

CREATE TABLE transcripts (
	id                 TEXT NOT NULL PRIMARY KEY,
	own_status         TEXT NOT NULL,
	own_updated_at     INTEGER NOT NULL,
	status             TEXT NOT NULL, -- own_status, or the state of the calculation
	updated_at         INTEGER NOT NULL,  -- the later of own_updated_at and the calculation's
	is_completed       INTEGER NOT NULL,
	progress           REAL NOT NULL,
	document_generated INTEGER NOT NULL,
	custom_variables   TEXT,
	customer_id        TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	checklist_id       TEXT NOT NULL REFERENCES checklists (id),
	financial_year_id  TEXT NOT NULL REFERENCES financial_years (id),
	file_key          TEXT,
	file_content_type TEXT,
	file_size         INTEGER,
	file_md5          TEXT,
	file_sha256       BLOB,
	file_created_at   INTEGER
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
	id            TEXT NOT NULL PRIMARY KEY,
	state         TEXT NOT NULL,
	updated_at    INTEGER NOT NULL,
	transcript_id TEXT NOT NULL REFERENCES transcripts (id) ON DELETE CASCADE,
	customer_id   TEXT NOT NULL, -- the transcript's
	file_key          TEXT,
	file_content_type TEXT,
	file_size         INTEGER,
	file_md5          TEXT,
	file_sha256       BLOB,
	file_created_at   INTEGER
);
CREATE UNIQUE INDEX calculations_transcript ON calculations (transcript_id);
CREATE INDEX calculations_customer ON calculations (customer_id, id);
CREATE INDEX calculations_customer_updated ON calculations (customer_id, updated_at, id);
CREATE INDEX calculations_updated ON calculations (updated_at, id);
CREATE INDEX calculations_proposal ON calculations (customer_id, updated_at, id) WHERE file_key IS NOT NULL;
CREATE INDEX calculations_file ON calculations (file_key) WHERE file_key IS NOT NULL;

CREATE TABLE documents (
	id          TEXT NOT NULL PRIMARY KEY,
	name        TEXT NOT NULL,
	customer_id TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	created_at  INTEGER NOT NULL,
	file_key          TEXT,
	file_content_type TEXT,
	file_size         INTEGER,
	file_md5          TEXT,
	file_sha256       BLOB,
	file_created_at   INTEGER
);
CREATE INDEX documents_customer ON documents (customer_id, id);
CREATE INDEX documents_file ON documents (file_key) WHERE file_key IS NOT NULL;

CREATE TABLE minfin_documents (
	id                TEXT NOT NULL PRIMARY KEY,
	name              TEXT NOT NULL,
	document_type     TEXT NOT NULL,
	customer_id       TEXT REFERENCES customers (id) ON DELETE CASCADE,
	financial_year_id TEXT REFERENCES financial_years (id),
	synchronised_at   INTEGER NOT NULL,
	file_key          TEXT,
	file_content_type TEXT,
	file_size         INTEGER,
	file_md5          TEXT,
	file_sha256       BLOB,
	file_created_at   INTEGER
);
CREATE INDEX minfin_documents_customer ON minfin_documents (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX minfin_documents_year ON minfin_documents (financial_year_id, id) WHERE financial_year_id IS NOT NULL;
CREATE INDEX minfin_documents_type ON minfin_documents (document_type, id);
CREATE INDEX minfin_documents_synchronised ON minfin_documents (synchronised_at, id);
CREATE INDEX minfin_documents_file ON minfin_documents (file_key) WHERE file_key IS NOT NULL;

-- Files whose records are gone, until their BLOB are.
CREATE TABLE forgotten_files (
	file_key TEXT NOT NULL PRIMARY KEY,
	at       INTEGER NOT NULL
);

-- The register of consultations. A customer that is named in it may be gone.
CREATE TABLE consultations (
	id          TEXT NOT NULL PRIMARY KEY,
	at          INTEGER NOT NULL,
	client_id   TEXT NOT NULL,
	client_name TEXT NOT NULL,
	purpose     TEXT,
	operation   TEXT NOT NULL,
	customer_id TEXT,
	fields      TEXT,
	chain       INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	mac         BLOB
);
CREATE UNIQUE INDEX consultations_place ON consultations (chain, number);
CREATE INDEX consultations_at ON consultations (at, id);
CREATE INDEX consultations_customer ON consultations (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX consultations_customer_at ON consultations (customer_id, at, id) WHERE customer_id IS NOT NULL;

CREATE TABLE consultation_heads (
	chain INTEGER NOT NULL PRIMARY KEY,
	count INTEGER NOT NULL,
	last  BLOB,
	mac   BLOB
);

CREATE TABLE changes (
	sequence  INTEGER NOT NULL PRIMARY KEY,
	at        INTEGER NOT NULL,
	client_id TEXT NOT NULL,
	action    TEXT NOT NULL,
	noun      TEXT NOT NULL,
	object_id TEXT NOT NULL,
	fields    TEXT
);

CREATE TABLE idempotency_keys (
	client_id  TEXT NOT NULL,
	noun       TEXT NOT NULL,
	key        TEXT NOT NULL,
	digest     BLOB NOT NULL,
	object_id  TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (client_id, noun, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

CREATE TABLE credentials (
	id         TEXT NOT NULL PRIMARY KEY,
	name       TEXT NOT NULL,
	scopes     TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER,
	revoked_at INTEGER
);

CREATE TABLE credential_secrets (
	credential_id TEXT NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
	position      INTEGER NOT NULL,
	digest        BLOB NOT NULL,
	created_at    INTEGER NOT NULL,
	expires_at    INTEGER,
	PRIMARY KEY (credential_id, position)
) WITHOUT ROWID;

-- The index of trigrams by which texts are searched. It keeps no texts of its own; a row number ties it to its table.

CREATE VIRTUAL TABLE users_search USING fts5 (search_text, content = 'users', content_rowid = 'row_no', tokenize = 'trigram case_sensitive 1', columnsize = 0);
-- +goose StatementBegin
CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN
	INSERT INTO users_search (rowid, search_text) VALUES (new.row_no, new.search_text);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN
	INSERT INTO users_search (users_search, rowid, search_text) VALUES ('delete', old.row_no, old.search_text);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_search_update AFTER UPDATE OF search_text ON users WHEN old.search_text <> new.search_text BEGIN
	INSERT INTO users_search (users_search, rowid, search_text) VALUES ('delete', old.row_no, old.search_text);
	INSERT INTO users_search (rowid, search_text) VALUES (new.row_no, new.search_text);
END;
-- +goose StatementEnd

CREATE VIRTUAL TABLE customers_search USING fts5 (search_text, content = 'customers', content_rowid = 'row_no', tokenize = 'trigram case_sensitive 1', columnsize = 0);
-- +goose StatementBegin
CREATE TRIGGER customers_search_insert AFTER INSERT ON customers BEGIN
	INSERT INTO customers_search (rowid, search_text) VALUES (new.row_no, new.search_text);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_search_delete AFTER DELETE ON customers BEGIN
	INSERT INTO customers_search (customers_search, rowid, search_text) VALUES ('delete', old.row_no, old.search_text);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_search_update AFTER UPDATE OF search_text ON customers WHEN old.search_text <> new.search_text BEGIN
	INSERT INTO customers_search (customers_search, rowid, search_text) VALUES ('delete', old.row_no, old.search_text);
	INSERT INTO customers_search (rowid, search_text) VALUES (new.row_no, new.search_text);
END;
-- +goose StatementEnd

-- How many rows each noun has. Transcripts are counted in parts, by status, completion and document.
CREATE TABLE row_counts (
	noun TEXT NOT NULL,
	part TEXT NOT NULL,
	n    INTEGER NOT NULL,
	PRIMARY KEY (noun, part)
) WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER customers_count_insert AFTER INSERT ON customers BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('customer', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_count_delete AFTER DELETE ON customers BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('customer', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_count_insert AFTER INSERT ON transcripts BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('transcript', new.status || ' ' || new.is_completed || ' ' || new.document_generated, 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_count_delete AFTER DELETE ON transcripts BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('transcript', old.status || ' ' || old.is_completed || ' ' || old.document_generated, -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER relations_count_insert AFTER INSERT ON relations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('relation', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER relations_count_delete AFTER DELETE ON relations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('relation', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER calculations_count_insert AFTER INSERT ON calculations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('calculation', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER calculations_count_delete AFTER DELETE ON calculations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('calculation', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER documents_count_insert AFTER INSERT ON documents BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('document', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER documents_count_delete AFTER DELETE ON documents BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('document', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER minfin_documents_count_insert AFTER INSERT ON minfin_documents BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('minfin document', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER minfin_documents_count_delete AFTER DELETE ON minfin_documents BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('minfin document', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checklists_count_insert AFTER INSERT ON checklists BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('checklist', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER checklists_count_delete AFTER DELETE ON checklists BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('checklist', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER financial_years_count_insert AFTER INSERT ON financial_years BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('financial year', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER financial_years_count_delete AFTER DELETE ON financial_years BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('financial year', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('user', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_count_delete AFTER DELETE ON users BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('user', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER labels_count_insert AFTER INSERT ON labels BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('label', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER labels_count_delete AFTER DELETE ON labels BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('label', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER consultations_count_insert AFTER INSERT ON consultations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('consultation', '', 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER consultations_count_delete AFTER DELETE ON consultations BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('consultation', '', -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_count_update AFTER UPDATE OF status, is_completed, document_generated ON transcripts
WHEN old.status <> new.status OR old.is_completed <> new.is_completed OR old.document_generated <> new.document_generated BEGIN
	INSERT INTO row_counts (noun, part, n) VALUES ('transcript', old.status || ' ' || old.is_completed || ' ' || old.document_generated, -1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
	INSERT INTO row_counts (noun, part, n) VALUES ('transcript', new.status || ' ' || new.is_completed || ' ' || new.document_generated, 1) ON CONFLICT (noun, part) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
