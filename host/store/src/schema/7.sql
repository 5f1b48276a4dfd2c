-- CPU time of the cache probe. Before version 7 there was none.
ALTER TABLE replica ADD COLUMN cache_probe_ns REAL;
