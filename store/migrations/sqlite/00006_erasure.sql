-- +goose Up

-- Idempotency keys are kept as keyed digests. Those from before are replaced at the first start; 0 marks them.
ALTER TABLE idempotency_keys ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;

-- What is erased leaves the search indexes at once, and not when segments happen to be merged. Rebuilding them drops
-- what was erased before.
INSERT INTO users_search (users_search, rank) VALUES ('secure-delete', 1);
INSERT INTO users_search (users_search) VALUES ('rebuild');
INSERT INTO customers_search (customers_search, rank) VALUES ('secure-delete', 1);
INSERT INTO customers_search (customers_search) VALUES ('rebuild');
