-- +goose Up

-- PostgreSQL's server_of is replaced; no server takes over an embedded store.
SELECT 1;
