ALTER TABLE replica RENAME COLUMN yardstick_ns TO contention_probe_ns;

-- The number of the iteration that this one was made from; NULL for a first one.
ALTER TABLE iteration ADD COLUMN parent INTEGER;

-- What the run was made from, as JSON: names and content addresses. NULL before version 3.
ALTER TABLE run ADD COLUMN inputs TEXT;

-- Whether an oracle judged the answers; NULL until that is known. Before version 3 only a note of
-- the report told.
ALTER TABLE run ADD COLUMN oracle INTEGER;
UPDATE run SET oracle = NOT EXISTS (
  SELECT 1 FROM json_each(report, '$.notes') AS note
  WHERE note.value LIKE 'There is no oracle%' OR note.value LIKE 'Nothing judges the answers%'
)
WHERE report IS NOT NULL AND json_valid(report);

-- The order in which the variants of a run were declared; 0 before version 3.
ALTER TABLE variant ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
