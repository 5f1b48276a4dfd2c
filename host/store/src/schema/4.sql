-- The kind of a sample: 'full' or 'single-call'. Before version 4 all were full.
ALTER TABLE sample ADD COLUMN kind TEXT NOT NULL DEFAULT 'full' CHECK (kind IN ('full', 'single-call'));
