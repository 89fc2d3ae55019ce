-- +goose Up
ALTER TABLE checklists ADD COLUMN due_date TEXT COLLATE "C";
