-- +goose Up

-- What a customer was before a transaction is what another one left behind that moved it since this one first touched it.
CREATE FUNCTION last_entry() RETURNS BIGINT LANGUAGE sql STABLE AS 'SELECT COALESCE(MAX(sequence), 0) FROM changes';
ALTER TABLE view_pending ADD COLUMN since BIGINT NOT NULL DEFAULT last_entry();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_view() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine BIGINT := pg_current_xact_id()::text::bigint;
BEGIN
	INSERT INTO view_pending SELECT mine, 'c', s.id, s.user_id, '', s.years,
			(SELECT u.since FROM view_pending u WHERE u.tx = mine AND u.kind = 'u' AND u.id = s.user_id) FROM view_states s
		WHERE s.id IN (SELECT c.id FROM view_pending u JOIN view_labels n ON n.id = u.id JOIN customers c ON c.responsible_id = u.id
				WHERE u.tx = mine AND u.kind = 'u' AND u.labels <> n.labels)
		ON CONFLICT DO NOTHING;
	INSERT INTO view_moves
		SELECT new.sequence, m.id, m.gone, m.was_user, m.was_labels, m.was_years, m.is_user, m.is_labels, m.is_years FROM (
			SELECT p.id, CASE WHEN s.id IS NULL THEN 1 ELSE 0 END AS gone,
				COALESCE(l.is_user, p.user_id) AS was_user, COALESCE(l.is_years, p.years) AS was_years,
				COALESCE(l.is_labels, (SELECT u.labels FROM view_pending u WHERE u.tx = mine AND u.kind = 'u' AND u.id = p.user_id), (SELECT n.labels FROM view_labels n WHERE n.id = p.user_id), '') AS was_labels,
				COALESCE(s.user_id, '') AS is_user, COALESCE(s.labels, '') AS is_labels, COALESCE(s.years, '') AS is_years
			FROM view_pending p LEFT JOIN view_states s ON s.id = p.id
			LEFT JOIN LATERAL (SELECT v.gone, v.is_user, v.is_labels, v.is_years FROM view_moves v
				WHERE v.customer_id = p.id AND v.sequence > p.since ORDER BY v.sequence DESC LIMIT 1) l ON l.gone = 0
			WHERE p.tx = mine AND p.kind = 'c' AND p.labels = '') m
		WHERE m.gone = 1 OR m.was_user <> m.is_user OR m.was_labels <> m.is_labels OR m.was_years <> m.is_years;
	INSERT INTO view_moves SELECT new.sequence, '', 2, '', '', '', '', '', '' WHERE EXISTS (SELECT 1 FROM view_pending p WHERE p.tx = mine AND p.kind = 'y');
	DELETE FROM view_pending;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

-- What is removed up to an entry is removed with it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION forget_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM view_moves WHERE sequence <= new.removed;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
DELETE FROM view_moves WHERE sequence <= (SELECT removed FROM change_horizon);
