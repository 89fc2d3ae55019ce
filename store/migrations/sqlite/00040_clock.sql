-- +goose Up

-- When a program last saw the clock. Older ones did not note it; the last change is their latest trace.
INSERT INTO leases (name, holder, since, until)
SELECT 'clock', '', 0, at FROM changes ORDER BY sequence DESC LIMIT 1;
