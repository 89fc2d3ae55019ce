-- +goose Up

-- What is removed up to an entry is removed with it.
DROP TRIGGER change_horizon_view;
-- +goose StatementBegin
CREATE TRIGGER change_horizon_view AFTER UPDATE OF removed ON change_horizon BEGIN
	DELETE FROM view_moves WHERE sequence <= new.removed;
END;
-- +goose StatementEnd
DELETE FROM view_moves WHERE sequence <= (SELECT removed FROM change_horizon);
