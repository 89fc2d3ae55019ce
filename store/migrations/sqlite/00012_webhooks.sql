-- +goose Up

-- Where changes are posted as they come: a place in the change log for each, and the one message that is on its way from there.
-- Secrets are sealed by the keyset. version grows with each act of an operator, steps with each step of a sender: whoever has
-- read others writes nothing.
CREATE TABLE webhooks (
	id              TEXT NOT NULL PRIMARY KEY,
	client_id       TEXT REFERENCES credentials (id),
	url             TEXT NOT NULL,
	nouns           TEXT NOT NULL,
	created_at      INTEGER NOT NULL,
	secret          BLOB NOT NULL,
	old_secret      BLOB,
	old_secret_to   INTEGER NOT NULL,
	version         INTEGER NOT NULL,
	steps           INTEGER NOT NULL,
	stop            TEXT NOT NULL,
	at              INTEGER NOT NULL,
	message_through INTEGER,
	message_nouns   TEXT,
	message_made_at INTEGER,
	message_body    BLOB,
	attempts        INTEGER NOT NULL,
	due             INTEGER NOT NULL,
	failure         TEXT NOT NULL,
	tried_at        INTEGER NOT NULL,
	delivered_at    INTEGER NOT NULL
);
