-- +goose Up

-- Idempotency keys are kept as keyed digests. Those from before are replaced at the first start; false marks them.
ALTER TABLE idempotency_keys ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT false;
