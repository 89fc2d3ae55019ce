-- +goose Up

-- An entry of the change log tells what became of the object (created, updated, deleted) and on what it hung before or hangs
-- now: identifiers, parted by blanks. NULL in the entries of programs that did not tell.
ALTER TABLE changes ADD COLUMN done TEXT;
ALTER TABLE changes ADD COLUMN parents TEXT;
