-- +goose Up

-- Which customers a credential pair sees: a JSON object of identifiers and years, '' for all.
ALTER TABLE credentials ADD COLUMN restriction TEXT NOT NULL DEFAULT '';
