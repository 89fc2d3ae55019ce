-- +goose Up

-- How many transactions erased something since the file was last compacted.
ALTER TABLE change_horizon ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- Until now a server that ended forgot it.
UPDATE change_horizon SET erased = 1 WHERE EXISTS (SELECT 1 FROM changes WHERE done = 'deleted');
