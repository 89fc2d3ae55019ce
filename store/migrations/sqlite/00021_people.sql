-- +goose Up

-- Who a person is that has signed in, beside what stands for them in client_id: the issuer, and as whom it knows them. NULL for a pair
-- and for the operator.
ALTER TABLE consultations ADD COLUMN issuer TEXT;
ALTER TABLE consultations ADD COLUMN subject TEXT;
ALTER TABLE changes ADD COLUMN issuer TEXT;
ALTER TABLE changes ADD COLUMN subject TEXT;
