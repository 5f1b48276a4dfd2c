ALTER TABLE replica ADD COLUMN yardstick_ns REAL;
