-- +goose Up

-- Which documents a credential pair may send: any, or trusted ones alone.
ALTER TABLE credentials ADD COLUMN documents TEXT COLLATE "C" NOT NULL DEFAULT 'any';

-- Query documents that requests name by an identifier: what operators trust, in sets, and what pairs have saved, whose set is ''.
-- A text with one identifier may be in several sets. retired_at is since when a set has it no more, 0 while it has.
CREATE TABLE trusted_documents (
	document_set TEXT COLLATE "C" NOT NULL,
	id           TEXT COLLATE "C" NOT NULL,
	name         TEXT COLLATE "C" NOT NULL,
	kind         TEXT COLLATE "C" NOT NULL,
	text         TEXT COLLATE "C" NOT NULL,
	title        TEXT COLLATE "C" NOT NULL,
	about        TEXT COLLATE "C" NOT NULL,
	cost         BIGINT,
	scopes       TEXT COLLATE "C" NOT NULL,
	created_at   BIGINT NOT NULL,
	client_id    TEXT COLLATE "C" NOT NULL,
	retired_at   BIGINT NOT NULL,
	PRIMARY KEY (document_set, name, id)
);
CREATE INDEX trusted_documents_id ON trusted_documents (id);
CREATE INDEX trusted_documents_name ON trusted_documents (name);
CREATE UNIQUE INDEX trusted_documents_saved ON trusted_documents (name) WHERE document_set = '';

-- What manifests call them beside the digests of their texts.
CREATE TABLE trusted_document_aliases (
	alias        TEXT COLLATE "C" NOT NULL,
	document_set TEXT COLLATE "C" NOT NULL,
	name         TEXT COLLATE "C" NOT NULL,
	id           TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (alias, document_set, name, id),
	FOREIGN KEY (document_set, name, id) REFERENCES trusted_documents (document_set, name, id) ON DELETE CASCADE
);
CREATE INDEX trusted_document_aliases_document ON trusted_document_aliases (document_set, name, id);
