-- The views that users may rely on; docs/store.md says what each column means. They are made anew
-- by every migration, so that they can follow the tables while their columns keep their meaning.

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
