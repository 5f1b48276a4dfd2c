-- What parts of calls took, as JSON; NULL of a replica without any, and before version 8.
ALTER TABLE replica ADD COLUMN parts TEXT;
