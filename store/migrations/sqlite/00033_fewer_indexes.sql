-- +goose Up

-- Each row is written to all its indexes. These are served by others within twice the time: open_visible_at by visible_at, which is never
-- earlier; cities that are not folded by the index of cities; and the transcript of a customer and a checklist by the customer's.
DROP INDEX customers_open_visible;
DROP INDEX customers_not_folded;
DROP INDEX transcripts_checklist_customer;
