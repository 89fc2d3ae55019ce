-- Measures transcripts in one table against transcripts in a partition for each financial year: psql -f partitions.sql
-- It makes and drops a schema of its own, and fails if there is one already.
-- :rows is how many transcripts there are in each of five years.
\set ON_ERROR_STOP on
\if :{?rows}
\else
\set rows 200000
\endif
CREATE SCHEMA partitions;
SET search_path = partitions;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE one (
	id TEXT COLLATE "C" NOT NULL PRIMARY KEY, status TEXT COLLATE "C" NOT NULL, updated_at BIGINT NOT NULL, progress DOUBLE PRECISION NOT NULL,
	customer_id TEXT COLLATE "C" NOT NULL, checklist_id TEXT COLLATE "C" NOT NULL, financial_year_id TEXT COLLATE "C" NOT NULL
);
CREATE INDEX ON one (updated_at, id, status);
CREATE INDEX ON one (customer_id, id);
CREATE INDEX ON one (checklist_id, id);
CREATE INDEX ON one (financial_year_id, updated_at, id);

-- The key of a partitioned table must hold the year.
CREATE TABLE many (LIKE one, PRIMARY KEY (id, financial_year_id)) PARTITION BY LIST (financial_year_id);
SELECT format('CREATE TABLE many_%s PARTITION OF many FOR VALUES IN (%L)', y, 'year-' || y) FROM generate_series(2021, 2025) y \gexec
CREATE INDEX ON many (updated_at, id, status);
CREATE INDEX ON many (customer_id, id);
CREATE INDEX ON many (checklist_id, id);
CREATE INDEX ON many (financial_year_id, updated_at, id);

CREATE TABLE source AS
	SELECT lpad(to_hex(hashint8(n)::bigint + 2147483648), 8, '0') || '-' || n AS id, 'To Process' AS status, n::bigint AS updated_at, 0::float8 AS progress,
		'customer-' || n % (:rows / 2) AS customer_id, 'checklist-' || n % 50 AS checklist_id, 'year-' || 2021 + n / :rows AS financial_year_id
	FROM generate_series(0, 5 * :rows - 1) n;

\timing on
\echo == fill, one table
INSERT INTO one SELECT * FROM source;
\echo == fill, partitions
INSERT INTO many SELECT * FROM source;
\timing off
VACUUM ANALYZE one;
VACUUM ANALYZE many;

\echo == transcripts of 50 customers (the level of Q1), one table; then partitions; then partitions, of the current year alone
SET enable_seqscan = off;
\set level 'SELECT count(*) FROM (SELECT ''customer-'' || n * 7 AS id FROM generate_series(1, 50) n) p CROSS JOIN LATERAL (SELECT t.id, t.status FROM'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) :level one t WHERE t.customer_id = p.id ORDER BY t.id LIMIT 50) c;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) :level one t WHERE t.customer_id = p.id ORDER BY t.id LIMIT 50) c;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) :level many t WHERE t.customer_id = p.id ORDER BY t.id LIMIT 50) c;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) :level many t WHERE t.customer_id = p.id ORDER BY t.id LIMIT 50) c;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) :level many t WHERE t.customer_id = p.id AND t.financial_year_id = 'year-2025' ORDER BY t.id LIMIT 50) c;
SELECT id FROM source LIMIT 1 \gset
\echo == one transcript by its identifier, one table; then partitions
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) SELECT * FROM one WHERE id = :'id';
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON, BUFFERS) SELECT * FROM many WHERE id = :'id';
RESET enable_seqscan;

\timing on
\echo == take the oldest year out: one table, then partitions
DELETE FROM one WHERE financial_year_id = 'year-2021';
VACUUM one;
ALTER TABLE many DETACH PARTITION many_2021;
\timing off
SELECT pg_size_pretty(pg_total_relation_size('one')) AS one_after, pg_size_pretty(sum(pg_total_relation_size(inhrelid))) AS partitions_after
FROM pg_inherits WHERE inhparent = 'many'::regclass;
DROP SCHEMA partitions CASCADE;
