-- +goose Up

-- The least version that a change gives in the present history of the log. A lost history may have given the next ones already: who holds
-- one of those must not take what is changed now for it.
ALTER TABLE change_horizon ADD COLUMN versions_from INTEGER NOT NULL DEFAULT 0;
CREATE VIEW change_versions AS SELECT versions_from FROM change_horizon;
