-- +goose Up

-- The least version that a change gives in the present history of the log. A lost history may have given the next ones already: who holds
-- one of those must not take what is changed now for it. A history that is about to begin has seconds since 2026.
ALTER TABLE change_horizon ADD COLUMN versions_from BIGINT NOT NULL DEFAULT 0;

CREATE FUNCTION versions_from_now() RETURNS BIGINT STABLE LANGUAGE sql AS
	$$ SELECT LEAST(GREATEST(extract(epoch FROM now())::bigint - 1767225600, 1), 1000000000) $$;

CREATE VIEW change_versions AS
	SELECT CASE h.server WHEN COALESCE(server_of('changes'::regclass), h.server) THEN h.versions_from ELSE GREATEST(h.versions_from + 1, versions_from_now()) END
	AS versions_from FROM change_horizon h;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION begin_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	here TEXT := server_of(TG_RELID);
BEGIN
	IF here <> (SELECT h.server FROM change_horizon h) THEN
		INSERT INTO change_histories SELECT h.history, COALESCE((SELECT MAX(c.sequence) FROM changes c), 0) FROM change_horizon h;
		UPDATE change_horizon SET server = here, history = substr(md5(random()::text || clock_timestamp()::text), 1, 16),
			versions_from = (SELECT v.versions_from FROM change_versions v);
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
