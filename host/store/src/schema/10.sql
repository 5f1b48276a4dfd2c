-- The contention of the core around a sample, as the probe read it, without a unit. Before version 10 only
-- replicas had one.
ALTER TABLE sample ADD COLUMN core_contention REAL;
