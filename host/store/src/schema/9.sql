-- The contention probe over work that waits, without a unit. Before version 9 it was not taken.
ALTER TABLE replica ADD COLUMN core_contention REAL;
