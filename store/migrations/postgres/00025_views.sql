-- +goose Up

-- By what it is decided which customers a restricted pair sees: the user, the labels of that user and the years of transcripts. What of
-- it a transaction changes is kept for the change feed, of before the transaction and of behind it, at the number of its last entry. A row
-- without a customer, gone = 2, says that a year starts at another time.
CREATE TABLE view_moves (
	sequence    BIGINT NOT NULL,
	customer_id TEXT COLLATE "C" NOT NULL,
	gone        INT NOT NULL,
	was_user    TEXT COLLATE "C" NOT NULL,
	was_labels  TEXT COLLATE "C" NOT NULL,
	was_years   TEXT COLLATE "C" NOT NULL,
	is_user     TEXT COLLATE "C" NOT NULL,
	is_labels   TEXT COLLATE "C" NOT NULL,
	is_years    TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (sequence, customer_id)
);
CREATE INDEX view_moves_customer ON view_moves (customer_id, sequence);

-- What it was before a transaction that runs now, as it is first touched: of customers ('c'), and the labels of users ('u'); and years
-- that start at another time ('y'). Customers that are new have '+' for labels: all that hangs on them is new as well, and told so.
CREATE TABLE view_pending (
	tx      BIGINT NOT NULL,
	kind    TEXT COLLATE "C" NOT NULL,
	id      TEXT COLLATE "C" NOT NULL,
	user_id TEXT COLLATE "C" NOT NULL,
	labels  TEXT COLLATE "C" NOT NULL,
	years   TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (tx, kind, id)
);

CREATE VIEW view_labels (id, labels) AS
	SELECT u.id, COALESCE((SELECT string_agg(l.label_id, ' ' ORDER BY l.label_id) FROM user_labels l WHERE l.user_id = u.id), '') FROM users u;
CREATE VIEW view_states (id, user_id, labels, years) AS
	SELECT c.id, COALESCE(c.responsible_id, ''),
		COALESCE((SELECT string_agg(l.label_id, ' ' ORDER BY l.label_id) FROM user_labels l WHERE l.user_id = c.responsible_id), ''),
		COALESCE((SELECT string_agg(DISTINCT y.start_date, ' ' ORDER BY y.start_date)
			FROM transcripts t JOIN financial_years y ON y.id = t.financial_year_id WHERE t.customer_id = c.id), '')
	FROM customers c;

-- +goose StatementBegin
CREATE FUNCTION note_view() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine BIGINT := pg_current_xact_id()::text::bigint;
	named TEXT[];
BEGIN
	IF TG_TABLE_NAME = 'user_labels' THEN
		INSERT INTO view_pending SELECT mine, 'u', u.user_id, '', COALESCE((SELECT string_agg(l.label_id, ' ' ORDER BY l.label_id) FROM user_labels l WHERE l.user_id = u.user_id), ''), ''
			FROM (SELECT CASE TG_OP WHEN 'INSERT' THEN new.user_id ELSE old.user_id END) u(user_id)
			ON CONFLICT DO NOTHING;
	ELSIF TG_TABLE_NAME = 'customers' AND TG_OP = 'INSERT' THEN
		INSERT INTO view_pending SELECT mine, 'c', new.id, '', '+', '' WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = new.id)
			ON CONFLICT DO NOTHING;
	ELSE
		IF TG_TABLE_NAME = 'customers' THEN
			named := ARRAY[old.id];
		ELSIF TG_TABLE_NAME = 'financial_years' THEN
			named := ARRAY(SELECT t.customer_id FROM transcripts t WHERE t.financial_year_id = old.id);
			INSERT INTO view_pending VALUES (mine, 'y', old.id, '', '', '') ON CONFLICT DO NOTHING;
		ELSIF TG_OP = 'DELETE' THEN
			named := ARRAY[old.customer_id];
		ELSIF TG_OP = 'UPDATE' THEN
			named := ARRAY[old.customer_id, new.customer_id];
		ELSIF NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.customer_id = new.customer_id AND t.financial_year_id || '' = new.financial_year_id) THEN -- not along the year's index
			named := ARRAY[new.customer_id];
		END IF;
		INSERT INTO view_pending SELECT mine, 'c', s.id, s.user_id, '', s.years FROM view_states s
			WHERE s.id = ANY(named) AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.tx = mine AND p.kind = 'c' AND p.id = s.id)
			ON CONFLICT DO NOTHING;
	END IF;
	IF TG_OP = 'DELETE' THEN
		RETURN old;
	END IF;
	RETURN new;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER customers_view_insert BEFORE INSERT ON customers FOR EACH ROW EXECUTE FUNCTION note_view();
CREATE TRIGGER customers_view_update BEFORE UPDATE OF responsible_id ON customers FOR EACH ROW
	WHEN (old.responsible_id IS DISTINCT FROM new.responsible_id) EXECUTE FUNCTION note_view();
CREATE TRIGGER customers_view_delete BEFORE DELETE ON customers FOR EACH ROW EXECUTE FUNCTION note_view();
CREATE TRIGGER transcripts_view_insert BEFORE INSERT ON transcripts FOR EACH ROW EXECUTE FUNCTION note_view();
CREATE TRIGGER transcripts_view_update BEFORE UPDATE OF customer_id, financial_year_id ON transcripts FOR EACH ROW
	WHEN (old.customer_id <> new.customer_id OR old.financial_year_id <> new.financial_year_id) EXECUTE FUNCTION note_view();
CREATE TRIGGER transcripts_view_delete BEFORE DELETE ON transcripts FOR EACH ROW EXECUTE FUNCTION note_view();
CREATE TRIGGER financial_years_view_update BEFORE UPDATE OF start_date ON financial_years FOR EACH ROW
	WHEN (old.start_date <> new.start_date) EXECUTE FUNCTION note_view();
CREATE TRIGGER user_labels_view BEFORE INSERT OR DELETE ON user_labels FOR EACH ROW EXECUTE FUNCTION note_view();

-- The end of a transaction that changed any of it.
CREATE TABLE view_turns (
	id       INT NOT NULL PRIMARY KEY CHECK (id = 1),
	sequence BIGINT NOT NULL
);
INSERT INTO view_turns (id, sequence) VALUES (1, 0);
-- +goose StatementBegin
CREATE FUNCTION end_view() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine BIGINT := pg_current_xact_id()::text::bigint;
BEGIN
	INSERT INTO view_pending SELECT mine, 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id IN (SELECT c.id FROM view_pending u JOIN view_labels n ON n.id = u.id JOIN customers c ON c.responsible_id = u.id
				WHERE u.tx = mine AND u.kind = 'u' AND u.labels <> n.labels)
		ON CONFLICT DO NOTHING;
	INSERT INTO view_moves
		SELECT new.sequence, m.id, m.gone, m.was_user, m.was_labels, m.was_years, m.is_user, m.is_labels, m.is_years FROM (
			SELECT p.id, CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS gone, p.user_id AS was_user, p.years AS was_years,
				COALESCE((SELECT u.labels FROM view_pending u WHERE u.tx = mine AND u.kind = 'u' AND u.id = p.user_id), (SELECT n.labels FROM view_labels n WHERE n.id = p.user_id), '') AS was_labels,
				COALESCE(s.user_id, '') AS is_user, COALESCE(s.labels, '') AS is_labels, COALESCE(s.years, '') AS is_years
			FROM view_pending p LEFT JOIN view_states s ON s.id = p.id WHERE p.tx = mine AND p.kind = 'c' AND p.labels = '') m
		WHERE m.gone = 1 OR m.was_user <> m.is_user OR m.was_labels <> m.is_labels OR m.was_years <> m.is_years;
	INSERT INTO view_moves SELECT new.sequence, '', 2, '', '', '', '', '', '' WHERE EXISTS (SELECT 1 FROM view_pending p WHERE p.tx = mine AND p.kind = 'y');
	DELETE FROM view_pending;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER view_turns_update AFTER UPDATE ON view_turns FOR EACH ROW EXECUTE FUNCTION end_view();

-- +goose StatementBegin
CREATE FUNCTION forget_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM view_moves WHERE sequence < new.removed;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER change_horizon_view AFTER UPDATE OF removed ON change_horizon FOR EACH ROW EXECUTE FUNCTION forget_views();
