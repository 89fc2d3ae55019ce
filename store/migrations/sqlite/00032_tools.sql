-- +goose Up

-- A trusted document that agents may call has a name as a tool, what they are told of it, and whether it may show
-- registration numbers.
ALTER TABLE trusted_documents ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE trusted_documents ADD COLUMN tool_about TEXT NOT NULL DEFAULT '';
ALTER TABLE trusted_documents ADD COLUMN tool_numbers INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX trusted_documents_tool ON trusted_documents (tool) WHERE tool <> '';

-- How often somebody has called a tool in a month (YYYY-MM, UTC), and which customers they could see when they last
-- did: the text of their restriction.
CREATE TABLE tool_calls (
	month       TEXT NOT NULL,
	client_id   TEXT NOT NULL,
	tool        TEXT NOT NULL,
	client_name TEXT NOT NULL,
	restriction TEXT NOT NULL,
	calls       INTEGER NOT NULL,
	last_at     INTEGER NOT NULL,
	PRIMARY KEY (month, client_id, tool)
);
