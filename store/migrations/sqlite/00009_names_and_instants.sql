-- +goose Up

-- Calculations are listed by themselves.
CREATE INDEX calculations_state ON calculations (state, id);
CREATE INDEX calculations_with_proposal ON calculations (id) WHERE file_key IS NOT NULL;
CREATE INDEX calculations_without_proposal ON calculations (id) WHERE file_key IS NULL;
