-- Version 1. Never edited once released: a change is a new file with the next number.

CREATE TABLE run (
  id            INTEGER PRIMARY KEY,
  -- The first run of a chain: a fresh run is its own root, a run that goes on with changed inputs
  -- shares its predecessor's. Results are looked up within a chain.
  root          INTEGER NOT NULL,
  name          TEXT NOT NULL,
  experiment_id TEXT NOT NULL,
  seed          TEXT NOT NULL,
  bakeoff       TEXT NOT NULL,
  started       TEXT NOT NULL,
  updated       TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('running', 'interrupted', 'failed', 'finished')),
  spent_ms      INTEGER NOT NULL DEFAULT 0,
  environment   TEXT NOT NULL,
  settings      TEXT NOT NULL,
  report        TEXT
) STRICT;

CREATE TABLE variant (
  run        INTEGER NOT NULL REFERENCES run (id),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  approach   TEXT NOT NULL,
  parameters TEXT NOT NULL,
  PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE iteration (
  run       INTEGER NOT NULL,
  variant   TEXT NOT NULL,
  number    INTEGER NOT NULL,
  source    TEXT NOT NULL,
  started   TEXT NOT NULL,
  PRIMARY KEY (run, variant, number),
  FOREIGN KEY (run, variant) REFERENCES variant (run, id)
) STRICT, WITHOUT ROWID;

-- Whatever was found out, by the digest of what it depends on.
CREATE TABLE result (
  id     INTEGER PRIMARY KEY,
  root   INTEGER NOT NULL REFERENCES run (id),
  kind   TEXT NOT NULL,
  key    TEXT NOT NULL,
  inputs TEXT NOT NULL,
  run    INTEGER NOT NULL REFERENCES run (id),
  at     TEXT NOT NULL,
  value  TEXT NOT NULL,
  UNIQUE (root, kind, key)
) STRICT;

-- Which results a run rests on, whether it found them or an earlier one did: one of each kind for
-- each variant and iteration, and for the run as a whole (variant '', iteration 0).
CREATE TABLE reliance (
  run       INTEGER NOT NULL REFERENCES run (id),
  kind      TEXT NOT NULL,
  variant   TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  result    INTEGER NOT NULL REFERENCES result (id),
  PRIMARY KEY (run, kind, variant, iteration)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
  result     INTEGER NOT NULL REFERENCES result (id),
  number     INTEGER NOT NULL,
  case_index INTEGER NOT NULL,
  case_label TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  fuel       INTEGER,
  peak_bytes INTEGER,
  answer     TEXT,
  detail     TEXT,
  PRIMARY KEY (result, number)
) STRICT, WITHOUT ROWID;

-- A race is a result of kind 'race'; positions in these lists are what samples refer to.
CREATE TABLE entrant (
  race     INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,
  variant  TEXT NOT NULL,
  PRIMARY KEY (race, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE race_case (
  race     INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,
  label    TEXT NOT NULL,
  PRIMARY KEY (race, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE replica (
  id          INTEGER PRIMARY KEY,
  race        INTEGER NOT NULL REFERENCES result (id),
  number      INTEGER NOT NULL,
  solo        INTEGER NOT NULL CHECK (solo IN (0, 1)),
  run         INTEGER NOT NULL REFERENCES run (id),
  at          TEXT NOT NULL,
  core        INTEGER,
  started_s   REAL,
  seconds     REAL,
  preemptions INTEGER NOT NULL,
  steal_ticks INTEGER,
  load        REAL,
  UNIQUE (race, number)
) STRICT;

CREATE TABLE sample (
  replica   INTEGER NOT NULL REFERENCES replica (id),
  number    INTEGER NOT NULL,
  entrant   INTEGER NOT NULL,
  race_case INTEGER NOT NULL,
  block     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  cpu_ns    INTEGER NOT NULL,
  wall_ns   INTEGER NOT NULL,
  PRIMARY KEY (replica, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE baseline (
  replica   INTEGER NOT NULL REFERENCES replica (id),
  race_case INTEGER NOT NULL,
  cpu_ns    REAL,
  wall_ns   REAL,
  PRIMARY KEY (replica, race_case)
) STRICT, WITHOUT ROWID;

CREATE TABLE cold (
  replica INTEGER NOT NULL REFERENCES replica (id),
  entrant INTEGER NOT NULL,
  cpu_ns  INTEGER,
  PRIMARY KEY (replica, entrant)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  run      INTEGER NOT NULL REFERENCES run (id),
  at_ms    INTEGER NOT NULL,
  time     TEXT NOT NULL,
  version  INTEGER NOT NULL,
  name     TEXT NOT NULL,
  data     TEXT NOT NULL
) STRICT;

CREATE INDEX event_of_run ON event (run, sequence);
CREATE INDEX reliance_on_result ON reliance (result);
