-- +goose Up

-- How many transactions erased something since the file was last compacted.
ALTER TABLE change_horizon ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
