-- Samples of one kind only, and fewer probes: single calls, which were compared with each other and with nothing
-- else, are no samples any more.
DELETE FROM sample WHERE kind = 'single-call';
ALTER TABLE sample DROP COLUMN kind;
ALTER TABLE sample DROP COLUMN core_contention;
ALTER TABLE replica DROP COLUMN cache_probe_ns;
