-- +goose Up

-- The cluster and its timeline stay the same as long as a connection may write, and asking for them reads a file: a connection asks once,
-- not with each entry of the log.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION server_of(log OID) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
	server TEXT := current_setting('backoffice.server', true);
BEGIN
	IF COALESCE(server, '') = '' THEN
		BEGIN
			server := (SELECT system_identifier FROM pg_control_system()) || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
		EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR object_not_in_prerequisite_state THEN
			server := 'unknown'; -- a server that does not tell is taken for the same one
		END;
		PERFORM set_config('backoffice.server', server, false);
	END IF;
	RETURN NULLIF(server, 'unknown') || '/' || log;
END
$$;
-- +goose StatementEnd
