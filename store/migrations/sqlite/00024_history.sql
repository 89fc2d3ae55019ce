-- +goose Up

-- The name of the log's history. Another one begins when entries were lost, as by the restore of a backup: numbers of the one before
-- are of other entries there. A webhook's number is of the history in which it was told.
ALTER TABLE change_horizon ADD COLUMN history TEXT NOT NULL DEFAULT '';
UPDATE change_horizon SET history = lower(hex(randomblob(8)));
ALTER TABLE webhooks ADD COLUMN history TEXT NOT NULL DEFAULT '';
UPDATE webhooks SET history = (SELECT history FROM change_horizon);
