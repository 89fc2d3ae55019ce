-- +goose Up

-- What a credential may delete: any record that its scopes allow, or none.
ALTER TABLE credentials ADD COLUMN deletes TEXT COLLATE "C" NOT NULL DEFAULT 'any';
