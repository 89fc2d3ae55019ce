-- +goose Up

-- When a program last saw the clock. Older ones did not note it; these are their latest traces.
INSERT INTO leases (name, holder, since, until)
SELECT 'clock', '', 0, seen.at FROM (SELECT at FROM changes UNION ALL SELECT until FROM keyset_users) seen
WHERE seen.at > 0 ORDER BY seen.at DESC LIMIT 1 ON CONFLICT (name) DO NOTHING;
