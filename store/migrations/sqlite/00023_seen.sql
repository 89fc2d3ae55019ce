-- +goose Up

-- What decides whether something is in view for a restricted pair lies in the index by which it is found, so that the record itself need
-- not be read: the user of a customer, the other customer of a relation, the year of a transcript.
CREATE INDEX customers_seen ON customers (id, responsible_id);
DROP INDEX relations_customer;
CREATE INDEX relations_customer ON relations (customer_id, id, related_customer_id);
DROP INDEX relations_related;
CREATE INDEX relations_related ON relations (related_customer_id, id, customer_id);
DROP INDEX transcripts_customer;
CREATE INDEX transcripts_customer ON transcripts (customer_id, id, financial_year_id);
