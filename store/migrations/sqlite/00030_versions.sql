-- +goose Up

-- A version of a lost history must not be given again: a change made on the one would pass for a change on the other.
-- So with another history versions go on far behind all that the one before can have given.
-- +goose StatementBegin
CREATE TRIGGER change_horizon_versions AFTER UPDATE OF history ON change_horizon BEGIN
	UPDATE customers SET version = (version + 1000000) % 2000000000 + 1;
	UPDATE users SET version = (version + 1000000) % 2000000000 + 1;
END;
-- +goose StatementEnd
