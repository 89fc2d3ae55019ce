-- +goose Up

-- A trusted document that agents may call has a name as a tool, what they are told of it, and whether it may show
-- registration numbers.
ALTER TABLE trusted_documents ADD COLUMN tool TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trusted_documents ADD COLUMN tool_about TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trusted_documents ADD COLUMN tool_numbers BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX trusted_documents_tool ON trusted_documents (tool) WHERE tool <> '';

-- How often somebody has called a tool in a month (YYYY-MM, UTC), and which customers they could see when they last
-- did: the text of their restriction.
CREATE TABLE tool_calls (
	month       TEXT COLLATE "C" NOT NULL,
	client_id   TEXT COLLATE "C" NOT NULL,
	tool        TEXT COLLATE "C" NOT NULL,
	client_name TEXT COLLATE "C" NOT NULL,
	restriction TEXT COLLATE "C" NOT NULL,
	calls       BIGINT NOT NULL,
	last_at     BIGINT NOT NULL,
	PRIMARY KEY (month, client_id, tool)
);
