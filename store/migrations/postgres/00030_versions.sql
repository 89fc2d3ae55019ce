-- +goose Up

-- A version of a lost history must not be given again: a change made on the one would pass for a change on the other.
-- So with another history versions go on far behind all that the one before can have given.
-- +goose StatementBegin
CREATE FUNCTION leave_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE customers SET version = (version + 1000000) % 2000000000 + 1;
	UPDATE users SET version = (version + 1000000) % 2000000000 + 1;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER change_horizon_versions AFTER UPDATE OF history ON change_horizon FOR EACH ROW EXECUTE FUNCTION leave_versions();
