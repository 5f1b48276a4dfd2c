-- The tables and views of a folder of results. Whoever changes a table or a view changes VERSION in schema.rs too:
-- a database of any other version is refused.

-- Runs, numbered from 1.
CREATE TABLE run (
  id            INTEGER PRIMARY KEY,
  -- The first run of a chain: a fresh run is its own root, a run that goes on with changed inputs
  -- shares its predecessor's. Results are looked up within a chain.
  root          INTEGER NOT NULL,
  name          TEXT NOT NULL,
  experiment_id TEXT NOT NULL,
  seed          TEXT NOT NULL,
  -- The version of the bakeoff that made it.
  bakeoff       TEXT NOT NULL,
  started       TEXT NOT NULL,
  updated       TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('running', 'interrupted', 'failed', 'finished')),
  spent_ms      INTEGER NOT NULL DEFAULT 0,
  environment   TEXT NOT NULL,
  settings      TEXT NOT NULL,
  -- What the run concluded, as JSON; NULL until then.
  report        TEXT,
  -- What the run is made from, as JSON: names and content addresses; NULL until that is known.
  inputs        TEXT,
  -- 1 if an oracle judges the answers; NULL until that is known.
  oracle        INTEGER
) STRICT;

-- The variants of each run, in the order of their declaration.
CREATE TABLE variant (
  run        INTEGER NOT NULL REFERENCES run (id),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  approach   TEXT NOT NULL,
  parameters TEXT NOT NULL,
  position   INTEGER NOT NULL,
  PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

-- The code of each variant: one row for each version of it.
CREATE TABLE iteration (
  run       INTEGER NOT NULL,
  variant   TEXT NOT NULL,
  number    INTEGER NOT NULL,
  -- Content address of the code; empty if it could not be read.
  source    TEXT NOT NULL,
  started   TEXT NOT NULL,
  -- The number of the iteration that this one was made from; NULL for a first one.
  parent    INTEGER,
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

-- The calls of a gate, which is a result of kind 'gate'.
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

-- The variants of a race, which is a result of kind 'race'. Samples refer to them by position.
CREATE TABLE entrant (
  race     INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,
  variant  TEXT NOT NULL,
  PRIMARY KEY (race, position)
) STRICT, WITHOUT ROWID;

-- The cases of a race. Samples refer to them by position.
CREATE TABLE race_case (
  race     INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,
  label    TEXT NOT NULL,
  PRIMARY KEY (race, position)
) STRICT, WITHOUT ROWID;

-- The replicas of a race: processes that took samples, with what surrounded them.
CREATE TABLE replica (
  id                  INTEGER PRIMARY KEY,
  race                INTEGER NOT NULL REFERENCES result (id),
  number              INTEGER NOT NULL,
  solo                INTEGER NOT NULL CHECK (solo IN (0, 1)),
  run                 INTEGER NOT NULL REFERENCES run (id),
  at                  TEXT NOT NULL,
  core                INTEGER,
  started_s           REAL,
  seconds             REAL,
  preemptions         INTEGER NOT NULL,
  steal_ticks         INTEGER,
  load                REAL,
  contention_probe_ns REAL,
  -- What parts of calls took, as JSON; NULL of a replica without any.
  parts               TEXT,
  -- The contention probe over work that waits, without a unit.
  core_contention     REAL,
  UNIQUE (race, number)
) STRICT;

-- Raw samples: the times of the calls of a block.
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

-- The time of an empty call in a replica, by case.
CREATE TABLE baseline (
  replica   INTEGER NOT NULL REFERENCES replica (id),
  race_case INTEGER NOT NULL,
  cpu_ns    REAL,
  wall_ns   REAL,
  PRIMARY KEY (replica, race_case)
) STRICT, WITHOUT ROWID;

-- The time of the first call of each variant in a replica.
CREATE TABLE cold (
  replica INTEGER NOT NULL REFERENCES replica (id),
  entrant INTEGER NOT NULL,
  cpu_ns  INTEGER,
  PRIMARY KEY (replica, entrant)
) STRICT, WITHOUT ROWID;

-- What happened, in its order.
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

-- The HMAC over all rows under a key of the user who wrote them; one row.
CREATE TABLE seal (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  mac  BLOB NOT NULL
) STRICT;

-- The views that users may rely on; docs/store.md says what each column means.

CREATE VIEW v_runs AS
SELECT id AS run, name, experiment_id, seed, status, started, updated, spent_ms / 1000.0 AS seconds,
       root AS chain, bakeoff AS bakeoff_version, inputs, oracle,
       json_extract(environment, '$.engine') AS engine,
       json_extract(environment, '$.cpu') AS cpu,
       json_extract(environment, '$.confinement') AS confinement,
       json_extract(report, '$.recommendation.winner') AS winner
FROM run;

CREATE VIEW v_variants AS
SELECT v.run, v.id AS variant, v.position, v.name, v.approach, v.parameters,
       json_extract(r.value, '$.status') AS status,
       json_extract(r.value, '$.rank') AS rank,
       json_extract(r.value, '$.total.value') AS total,
       json_extract(r.value, '$.failure.class') AS failure
FROM variant v
JOIN run ON run.id = v.run
LEFT JOIN json_each(run.report, '$.variants') r ON json_extract(r.value, '$.id') = v.id;

CREATE VIEW v_iterations AS
SELECT run, variant, number AS iteration, parent, source AS source_digest, started FROM iteration;

CREATE VIEW v_results AS
SELECT u.run, u.kind, nullif(u.variant, '') AS variant, nullif(u.iteration, 0) AS iteration,
       r.key, r.inputs, r.run AS found_by_run, r.at AS found, r.value
FROM reliance u JOIN result r ON r.id = u.result;

CREATE VIEW v_trials AS
SELECT u.run, u.variant, u.iteration, t.number AS trial, t.case_label AS "case", t.outcome, t.fuel,
       t.peak_bytes, t.answer AS answer_digest, t.detail
FROM reliance u JOIN trial t ON t.result = u.result;

CREATE VIEW v_replicas AS
SELECT u.run, u.result AS race, p.number AS replica, p.solo, p.at AS finished, p.core, p.started_s,
       p.seconds, p.preemptions, p.steal_ticks, p.load, p.contention_probe_ns,
       p.core_contention,
       -- Every number from 0 up to this one is there, and was when the run was over.
       p.run <= u.run AND p.number + 1 = sum(p.run <= u.run AND p.number >= 0) OVER (
         PARTITION BY u.run, u.variant, u.iteration ORDER BY p.number
         ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS counts
FROM reliance u JOIN replica p ON p.race = u.result
WHERE u.kind = 'race';

CREATE VIEW v_samples AS
SELECT u.run, u.result AS race, p.number AS replica, s.number AS sample, e.variant,
       c.label AS "case", s.block, s.position, s.calls, s.cpu_ns, s.wall_ns,
       max(s.cpu_ns * 1.0 / s.calls - b.cpu_ns, 0.0) AS cpu_ns_per_call,
       max(s.wall_ns * 1.0 / s.calls - b.wall_ns, 0.0) AS wall_ns_per_call
FROM reliance u
JOIN replica p ON p.race = u.result
JOIN sample s ON s.replica = p.id
JOIN entrant e ON e.race = u.result AND e.position = s.entrant
JOIN race_case c ON c.race = u.result AND c.position = s.race_case
LEFT JOIN baseline b ON b.replica = p.id AND b.race_case = s.race_case
WHERE u.kind = 'race';

CREATE VIEW v_first_calls AS
SELECT u.run, u.result AS race, p.number AS replica, e.variant, f.cpu_ns
FROM reliance u
JOIN replica p ON p.race = u.result
JOIN cold f ON f.replica = p.id
JOIN entrant e ON e.race = u.result AND e.position = f.entrant
WHERE u.kind = 'race' AND f.cpu_ns IS NOT NULL;

CREATE VIEW v_parts AS
SELECT u.run, u.result AS race, p.number AS replica, e.variant, c.label AS "case",
       json_extract(t.value, '$.calls') AS calls,
       json_extract(t.value, '$.total_ns') AS cpu_ns,
       json_extract(t.value, '$.start_ns') AS start_ns,
       json_extract(t.value, '$.session_ns[0]') AS prepare_ns,
       json_extract(t.value, '$.session_ns[1]') AS run_ns,
       json_extract(t.value, '$.session_ns[2]') AS output_ns,
       json_extract(t.value, '$.again_ns') AS later_call_ns
FROM reliance u
JOIN replica p ON p.race = u.result
JOIN json_each(p.parts) t
JOIN entrant e ON e.race = u.result AND e.position = json_extract(t.value, '$.variant')
JOIN race_case c ON c.race = u.result AND c.position = json_extract(t.value, '$.case')
WHERE u.kind = 'race';

CREATE VIEW v_verdicts AS
SELECT run.id AS run,
       json_extract(v.value, '$.a') AS a,
       json_extract(v.value, '$.b') AS b,
       json_extract(v.value, '$.case') AS "case",
       json_extract(v.value, '$.verdict') AS verdict,
       json_extract(v.value, '$.below_threshold') AS below_threshold,
       json_extract(v.value, '$.ratio') AS ratio,
       json_extract(v.value, '$.low') AS low,
       json_extract(v.value, '$.high') AS high
FROM run, json_each(run.report, '$.verdicts') v;

CREATE VIEW v_events AS
SELECT sequence, run, at_ms, time, name, data FROM event;
