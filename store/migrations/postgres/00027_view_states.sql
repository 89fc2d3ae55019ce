-- +goose Up

-- What a transaction changes by what a customer is visible is looked up by its key, one customer at a time. Where there are no statistics
-- yet, as during the first import, the planner went through all of view_pending, and all transcripts of every year, for each row.
CREATE OR REPLACE VIEW view_states (id, user_id, labels, years) AS
	SELECT c.id, COALESCE(c.responsible_id, ''),
		COALESCE((SELECT string_agg(l.label_id, ' ' ORDER BY l.label_id) FROM user_labels l WHERE l.user_id = c.responsible_id), ''),
		COALESCE((SELECT string_agg(DISTINCT y.start_date, ' ' ORDER BY y.start_date)
			FROM (SELECT t.financial_year_id FROM transcripts t WHERE t.customer_id = c.id OFFSET 0) t JOIN financial_years y ON y.id = t.financial_year_id), '')
	FROM customers c;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_view() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine BIGINT := pg_current_xact_id()::text::bigint;
	named TEXT[] := '{}';
	one TEXT;
BEGIN
	IF TG_TABLE_NAME = 'user_labels' THEN
		INSERT INTO view_pending SELECT mine, 'u', u.user_id, '', COALESCE((SELECT string_agg(l.label_id, ' ' ORDER BY l.label_id) FROM user_labels l WHERE l.user_id = u.user_id), ''), ''
			FROM (SELECT CASE TG_OP WHEN 'INSERT' THEN new.user_id ELSE old.user_id END) u(user_id)
			ON CONFLICT DO NOTHING;
	ELSIF TG_TABLE_NAME = 'customers' AND TG_OP = 'INSERT' THEN
		INSERT INTO view_pending SELECT mine, 'c', new.id, '', '+', '' WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = new.id)
			ON CONFLICT DO NOTHING;
	ELSIF TG_TABLE_NAME = 'customers' THEN
		named := ARRAY[old.id];
	ELSIF TG_TABLE_NAME = 'financial_years' THEN
		named := ARRAY(SELECT DISTINCT t.customer_id FROM transcripts t WHERE t.financial_year_id = old.id);
		INSERT INTO view_pending VALUES (mine, 'y', old.id, '', '', '') ON CONFLICT DO NOTHING;
	ELSIF TG_OP = 'DELETE' THEN
		named := ARRAY[old.customer_id];
	ELSIF TG_OP = 'UPDATE' THEN
		named := ARRAY[old.customer_id, new.customer_id];
	ELSIF NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.customer_id = new.customer_id AND t.financial_year_id || '' = new.financial_year_id) THEN -- not along the year's index
		named := ARRAY[new.customer_id];
	END IF;
	FOREACH one IN ARRAY named LOOP
		CONTINUE WHEN EXISTS (SELECT 1 FROM view_pending p WHERE p.tx = mine AND p.kind = 'c' AND p.id = one);
		INSERT INTO view_pending SELECT mine, 'c', s.id, s.user_id, '', s.years FROM view_states s WHERE s.id = one ON CONFLICT DO NOTHING;
	END LOOP;
	IF TG_OP = 'DELETE' THEN
		RETURN old;
	END IF;
	RETURN new;
END
$$;
-- +goose StatementEnd
