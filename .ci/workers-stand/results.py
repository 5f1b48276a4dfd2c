"""What two runs of one experiment must have in common, whatever happened on the way: their reports but for times, machines and
costs, and every trial of every check; and what must not be counted twice."""

import json
import sqlite3

# Times, machines and costs, and what is said of them. Verdicts are about times; no criterion of the experiment is.
LEFT_OUT = {"cost", "notes", "replicas", "environment", "protocol", "verdicts"}
TIMES = {"time", "wall", "cold-start", "build-time", "growth"}


def of_report(report):
    """Returns a report without times, machines and costs."""
    rest = {key: value for key, value in report.items() if key not in LEFT_OUT}
    for variant in rest["variants"]:
        variant["growth"] = None
        for reading in list(variant["readings"]):
            if reading in TIMES:
                del variant["readings"][reading]
    return rest


def trials(folder):
    """Returns all trials of the checks of a folder's last run, by variant and number, and the number of results by kind."""
    with sqlite3.connect(f"file:{folder}/bakeoff.db?mode=ro", uri=True) as db:
        (run,) = db.execute("select max(id) from run").fetchone()
        rows = db.execute(
            "select variant, t.number, case_label, outcome, fuel, peak_bytes, answer from reliance r join trial t"
            " on t.result = r.result where r.run = ? and r.kind = 'gate' order by variant, t.number",
            (run,),
        ).fetchall()
        counts = db.execute("select kind, count(*) from result group by kind order by kind").fetchall()
    return rows, dict(counts)


def counted_twice(folder):
    """Returns the variants whose check counted as new more than once, over all sessions of a folder."""
    new = {}
    with open(f"{folder}/events.jsonl", encoding="utf-8") as file:
        for line in file:
            try:
                event = json.loads(line)
            except ValueError:
                # The last line of a session that was killed.
                continue
            data = event["data"]
            if event["name"] == "bakeoff:check:complete" and data["origin"] == "new":
                new[data["variant_id"]] = new.get(data["variant_id"], 0) + 1
    return [variant for variant, count in new.items() if count > 1]


def difference(path, left, right):
    """Returns the first place at which two values differ, or None."""
    if type(left) is not type(right):
        return f"{path}: {left!r} and {right!r}"
    if isinstance(left, dict):
        for key in sorted(left.keys() | right.keys()):
            if key not in left or key not in right:
                return f"{path}.{key}: only in one"
            found = difference(f"{path}.{key}", left[key], right[key])
            if found:
                return found
        return None
    if isinstance(left, (list, tuple)):
        if len(left) != len(right):
            return f"{path}: {len(left)} and {len(right)} elements"
        for number, (one, other) in enumerate(zip(left, right)):
            found = difference(f"{path}[{number}]", one, other)
            if found:
                return found
        return None
    return None if left == right else f"{path}: {left!r} and {right!r}"
