-- +goose Up

-- The nouns whose records are copies of another office's, and how far they have come.
CREATE TABLE mirrors (
	noun       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	origin     TEXT COLLATE "C" NOT NULL,
	client_id  TEXT COLLATE "C" NOT NULL,
	since      BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	incomplete BIGINT NOT NULL
);

-- What a mirror keeps from one walk to the next: where a walk stands, what it has seen, and what is missing there.
CREATE TABLE mirror_notes (
	name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	value BYTEA NOT NULL
);
