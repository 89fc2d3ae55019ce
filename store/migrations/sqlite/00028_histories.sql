-- +goose Up

-- The histories that the present one goes on from, each with the number up to which it does. No server takes over an embedded store, so
-- here there are none.
CREATE TABLE change_histories (
	history TEXT NOT NULL PRIMARY KEY,
	until   INTEGER NOT NULL
);
