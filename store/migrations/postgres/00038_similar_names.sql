-- +goose Up
ALTER TABLE customers ADD COLUMN similar_name TEXT COLLATE "C" DEFAULT 'NOT FILLED';

CREATE INDEX customers_not_filled ON customers (id) WHERE similar_name = 'NOT FILLED';
