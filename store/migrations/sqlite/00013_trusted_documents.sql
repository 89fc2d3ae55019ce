-- +goose Up

-- Which documents a credential pair may send: any, or trusted ones alone.
ALTER TABLE credentials ADD COLUMN documents TEXT NOT NULL DEFAULT 'any';

-- Query documents that requests name by an identifier: what operators trust, in sets, and what pairs have saved, whose set is ''.
-- A text with one identifier may be in several sets. retired_at is since when a set has it no more, 0 while it has.
CREATE TABLE trusted_documents (
	document_set TEXT NOT NULL,
	id           TEXT NOT NULL,
	name         TEXT NOT NULL,
	kind         TEXT NOT NULL,
	text         TEXT NOT NULL,
	title        TEXT NOT NULL,
	about        TEXT NOT NULL,
	cost         INTEGER,
	scopes       TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	client_id    TEXT NOT NULL,
	retired_at   INTEGER NOT NULL,
	PRIMARY KEY (document_set, name, id)
);
CREATE INDEX trusted_documents_id ON trusted_documents (id);
CREATE INDEX trusted_documents_name ON trusted_documents (name);
CREATE UNIQUE INDEX trusted_documents_saved ON trusted_documents (name) WHERE document_set = '';

-- What manifests call them beside the digests of their texts.
CREATE TABLE trusted_document_aliases (
	alias        TEXT NOT NULL,
	document_set TEXT NOT NULL,
	name         TEXT NOT NULL,
	id           TEXT NOT NULL,
	PRIMARY KEY (alias, document_set, name, id),
	FOREIGN KEY (document_set, name, id) REFERENCES trusted_documents (document_set, name, id) ON DELETE CASCADE
);
CREATE INDEX trusted_document_aliases_document ON trusted_document_aliases (document_set, name, id);
