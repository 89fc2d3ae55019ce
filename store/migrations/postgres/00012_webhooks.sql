-- +goose Up

-- Where changes are posted as they come: a place in the change log for each, and the one message that is on its way from there.
-- Secrets are sealed by the keyset. version grows with each act of an operator, steps with each step of a sender: whoever has
-- read others writes nothing.
CREATE TABLE webhooks (
	id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	client_id       TEXT COLLATE "C" REFERENCES credentials (id),
	url             TEXT COLLATE "C" NOT NULL,
	nouns           TEXT COLLATE "C" NOT NULL,
	created_at      BIGINT NOT NULL,
	secret          BYTEA NOT NULL,
	old_secret      BYTEA,
	old_secret_to   BIGINT NOT NULL,
	version         BIGINT NOT NULL,
	steps           BIGINT NOT NULL,
	stop            TEXT COLLATE "C" NOT NULL,
	at              BIGINT NOT NULL,
	message_through BIGINT,
	message_nouns   TEXT COLLATE "C",
	message_made_at BIGINT,
	message_body    BYTEA,
	attempts        BIGINT NOT NULL,
	due             BIGINT NOT NULL,
	failure         TEXT COLLATE "C" NOT NULL,
	tried_at        BIGINT NOT NULL,
	delivered_at    BIGINT NOT NULL
);
