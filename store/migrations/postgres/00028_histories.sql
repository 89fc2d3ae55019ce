-- +goose Up

-- The histories that the present one goes on from, each with the number up to which it does.
CREATE TABLE change_histories (
	history TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	until   BIGINT NOT NULL
);

-- Where the log is written: in which cluster, on which timeline of it, and in which table.
ALTER TABLE change_horizon ADD COLUMN server TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose StatementBegin
CREATE FUNCTION server_of(log OID) RETURNS TEXT LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/' || log;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR object_not_in_prerequisite_state THEN
	RETURN NULL; -- a server that does not tell is taken for the same one
END
$$;
-- +goose StatementEnd
UPDATE change_horizon SET server = COALESCE(server_of('changes'::regclass), '');

-- A server that was promoted, and one that a dump was restored to, may lack the last entries, and nobody who knew them needs to be there.
-- So another history begins with its first entry, which is written under the lock of the log's end.
-- +goose StatementBegin
CREATE FUNCTION begin_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	here TEXT := server_of(TG_RELID);
BEGIN
	IF here <> (SELECT h.server FROM change_horizon h) THEN
		INSERT INTO change_histories SELECT h.history, COALESCE((SELECT MAX(c.sequence) FROM changes c), 0) FROM change_horizon h;
		UPDATE change_horizon SET server = here, history = substr(md5(random()::text || clock_timestamp()::text), 1, 16);
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER changes_history BEFORE INSERT ON changes FOR EACH STATEMENT EXECUTE FUNCTION begin_history();
