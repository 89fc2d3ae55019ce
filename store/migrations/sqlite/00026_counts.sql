-- +goose Up

-- What transcripts are counted and grouped by lies in the indexes by which they are found, so that rows need not be read to be counted; so does when
-- customers became visible in that of their creation, along which far pages are walked.
DROP INDEX transcripts_customer;
CREATE INDEX transcripts_customer ON transcripts (customer_id, id, financial_year_id, status, is_completed, document_generated, updated_at, visible_at,
	checklist_id, progress);
DROP INDEX transcripts_year_status;
CREATE INDEX transcripts_year_status ON transcripts (financial_year_id, status, id, is_completed, document_generated, customer_id);
DROP INDEX customers_created;
CREATE INDEX customers_created ON customers (created_at, id, visible_at, open_visible_at);
