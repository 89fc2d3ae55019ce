-- +goose Up

-- Who did what an administrator did by the command line: the user of the operating system and the host.
ALTER TABLE changes ADD COLUMN operator TEXT;
