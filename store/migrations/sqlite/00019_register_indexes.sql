-- +goose Up

-- The register is asked for a customer's entries, newest first, and for all in the order of their chains; never for all by moment, for a
-- customer's by identifier, nor how many there are. Each disclosure waits for its entry, and so for whatever the entry has to be put into.
DROP INDEX consultations_at;
DROP INDEX consultations_customer;
DROP TRIGGER consultations_count_insert;
DROP TRIGGER consultations_count_delete;
DELETE FROM row_counts WHERE noun = 'consultation';
