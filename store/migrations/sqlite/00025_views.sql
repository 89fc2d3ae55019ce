-- +goose Up

-- By what it is decided which customers a restricted pair sees: the user, the labels of that user and the years of transcripts. What of
-- it a transaction changes is kept for the change feed, of before the transaction and of behind it, at the number of its last entry. A row
-- without a customer, gone = 2, says that a year starts at another time.
CREATE TABLE view_moves (
	sequence    INTEGER NOT NULL,
	customer_id TEXT NOT NULL,
	gone        INTEGER NOT NULL,
	was_user    TEXT NOT NULL,
	was_labels  TEXT NOT NULL,
	was_years   TEXT NOT NULL,
	is_user     TEXT NOT NULL,
	is_labels   TEXT NOT NULL,
	is_years    TEXT NOT NULL,
	PRIMARY KEY (sequence, customer_id)
) WITHOUT ROWID;
CREATE INDEX view_moves_customer ON view_moves (customer_id, sequence);

-- What it was before the transaction that runs now, as it is first touched: of customers ('c'), and the labels of users ('u'); and years
-- that start at another time ('y'). Customers that are new have '+' for labels: all that hangs on them is new as well, and told so.
CREATE TABLE view_pending (
	kind    TEXT NOT NULL,
	id      TEXT NOT NULL,
	user_id TEXT NOT NULL,
	labels  TEXT NOT NULL,
	years   TEXT NOT NULL,
	PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE VIEW view_labels (id, labels) AS
	SELECT u.id, COALESCE((SELECT group_concat(l.label_id, ' ') FROM (SELECT l.label_id FROM user_labels l WHERE l.user_id = u.id ORDER BY l.label_id) l), '') FROM users u;
CREATE VIEW view_states (id, user_id, labels, years) AS
	SELECT c.id, COALESCE(c.responsible_id, ''),
		COALESCE((SELECT group_concat(l.label_id, ' ') FROM (SELECT l.label_id FROM user_labels l WHERE l.user_id = c.responsible_id ORDER BY l.label_id) l), ''),
		COALESCE((SELECT group_concat(y.start_date, ' ') FROM (
			SELECT DISTINCT y.start_date FROM transcripts t CROSS JOIN financial_years y ON y.id = t.financial_year_id WHERE t.customer_id = c.id ORDER BY y.start_date) y), '')
	FROM customers c;

-- +goose StatementBegin
CREATE TRIGGER customers_view_update BEFORE UPDATE OF responsible_id ON customers WHEN old.responsible_id IS NOT new.responsible_id BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id = old.id AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_view_insert BEFORE INSERT ON customers
	WHEN NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = new.id) AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = new.id) BEGIN
	INSERT INTO view_pending VALUES ('c', new.id, '', '+', '');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER customers_view_delete BEFORE DELETE ON customers BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id = old.id AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_view_insert BEFORE INSERT ON transcripts -- along the customer's index, not the year's, which is long
	WHEN NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.customer_id = new.customer_id AND +t.financial_year_id = new.financial_year_id) BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id = new.customer_id AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = s.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_view_update BEFORE UPDATE OF customer_id, financial_year_id ON transcripts
	WHEN old.customer_id <> new.customer_id OR old.financial_year_id <> new.financial_year_id BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id IN (old.customer_id, new.customer_id) AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = s.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_view_delete BEFORE DELETE ON transcripts BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id = old.customer_id AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = s.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER financial_years_view_update BEFORE UPDATE OF start_date ON financial_years WHEN old.start_date <> new.start_date BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id IN (SELECT t.customer_id FROM transcripts t WHERE t.financial_year_id = old.id)
			AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = s.id);
	INSERT INTO view_pending SELECT 'y', old.id, '', '', '' WHERE NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'y' AND p.id = old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER user_labels_view_insert BEFORE INSERT ON user_labels BEGIN
	INSERT INTO view_pending SELECT 'u', s.id, '', s.labels, '' FROM view_labels s
		WHERE s.id = new.user_id AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'u' AND p.id = s.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER user_labels_view_delete BEFORE DELETE ON user_labels BEGIN
	INSERT INTO view_pending SELECT 'u', s.user_id, '', group_concat(s.label_id, ' '), ''
		FROM (SELECT l.user_id, l.label_id FROM user_labels l WHERE l.user_id = old.user_id ORDER BY l.label_id) s
		WHERE NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'u' AND p.id = old.user_id) GROUP BY s.user_id;
END;
-- +goose StatementEnd

-- The end of a transaction that changed any of it.
CREATE TABLE view_turns (
	id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	sequence INTEGER NOT NULL
);
INSERT INTO view_turns (id, sequence) VALUES (1, 0);
-- +goose StatementBegin
CREATE TRIGGER view_turns_update AFTER UPDATE ON view_turns BEGIN
	INSERT INTO view_pending SELECT 'c', s.id, s.user_id, '', s.years FROM view_states s
		WHERE s.id IN (SELECT c.id FROM view_pending u JOIN view_labels n ON n.id = u.id JOIN customers c ON c.responsible_id = u.id
				WHERE u.kind = 'u' AND u.labels <> n.labels)
			AND NOT EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'c' AND p.id = s.id);
	INSERT INTO view_moves
		SELECT new.sequence, m.id, m.gone, m.was_user, m.was_labels, m.was_years, m.is_user, m.is_labels, m.is_years FROM (
			SELECT p.id, NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = p.id) AS gone, p.user_id AS was_user, p.years AS was_years,
				COALESCE((SELECT u.labels FROM view_pending u WHERE u.kind = 'u' AND u.id = p.user_id), (SELECT n.labels FROM view_labels n WHERE n.id = p.user_id), '') AS was_labels,
				COALESCE((SELECT s.user_id FROM view_states s WHERE s.id = p.id), '') AS is_user,
				COALESCE((SELECT s.labels FROM view_states s WHERE s.id = p.id), '') AS is_labels,
				COALESCE((SELECT s.years FROM view_states s WHERE s.id = p.id), '') AS is_years
			FROM view_pending p WHERE p.kind = 'c' AND p.labels = '') m
		WHERE m.gone OR m.was_user <> m.is_user OR m.was_labels <> m.is_labels OR m.was_years <> m.is_years;
	INSERT INTO view_moves SELECT new.sequence, '', 2, '', '', '', '', '', '' WHERE EXISTS (SELECT 1 FROM view_pending p WHERE p.kind = 'y');
	DELETE FROM view_pending;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER change_horizon_view AFTER UPDATE OF removed ON change_horizon BEGIN
	DELETE FROM view_moves WHERE sequence < new.removed;
END;
-- +goose StatementEnd
