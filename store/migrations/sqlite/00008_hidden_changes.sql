-- +goose Up

-- What only privacy.read can see moves neither the version nor the moment that other pairs see: how many changes of a
-- customer were of registration numbers alone, when it was last changed but for them, and when
-- that became visible.
ALTER TABLE customers ADD COLUMN hidden_changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE customers ADD COLUMN open_updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE customers ADD COLUMN open_visible_at INTEGER NOT NULL DEFAULT 0;
UPDATE customers SET open_updated_at = updated_at, open_visible_at = visible_at;
CREATE INDEX customers_open_updated ON customers (open_updated_at, id);
CREATE INDEX customers_open_visible ON customers (open_visible_at, id);
