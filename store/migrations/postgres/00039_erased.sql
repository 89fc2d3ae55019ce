-- +goose Up

-- Only embedded stores, whose file keeps copies of what was erased, count here. Both engines have the same tables.
ALTER TABLE change_horizon ADD COLUMN erased BIGINT NOT NULL DEFAULT 0;
