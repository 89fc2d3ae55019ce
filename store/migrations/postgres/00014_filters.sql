-- +goose Up

-- What filters compare without regard to case and accents. The program folds those of stored rows, which it knows by a text that
-- nothing folds to; it also adds to their search text what FUZZY searches look in.
ALTER TABLE customers ADD COLUMN city_folded TEXT COLLATE "C" DEFAULT 'NOT FOLDED';
ALTER TABLE customers ADD COLUMN postal_code_folded TEXT COLLATE "C";
ALTER TABLE customers ADD COLUMN country_folded TEXT COLLATE "C";
CREATE INDEX customers_not_folded ON customers (id) WHERE city_folded = 'NOT FOLDED';
CREATE INDEX customers_city ON customers (city_folded, id) WHERE city_folded IS NOT NULL;
CREATE INDEX customers_postal_code ON customers (postal_code_folded, id) WHERE postal_code_folded IS NOT NULL;
CREATE INDEX customers_country ON customers (country_folded, id) WHERE country_folded IS NOT NULL;

-- Who has something, and who lacks it.
CREATE INDEX customers_without_email ON customers (id) WHERE email_folded IS NULL;
CREATE INDEX customers_with_phone ON customers (id) WHERE phone IS NOT NULL;
CREATE INDEX customers_without_phone ON customers (id) WHERE phone IS NULL;
CREATE INDEX customers_without_responsible ON customers (id) WHERE responsible_id IS NULL;
CREATE INDEX customers_without_kbo ON customers (id) WHERE kbo_number IS NULL;

-- Open transcripts are counted without a look at the table.
CREATE INDEX transcripts_open ON transcripts (customer_id, id) WHERE is_completed = false;
