"""Works every verdict of a run out again, and holds it against what its report says.

    python3 tests/reference EXPORT REPORT [RUN]

EXPORT is a folder that `bakeoff export --format jsonl` wrote, REPORT a `report.json`, RUN the number of
the run (1). Written from docs/verdicts.md and docs/store.md, without a line of the product, so
that both are wrong together only if the pages are. Ends with status 1 if a verdict differs.
"""

import math
import sys
from collections import Counter

from evidence import Evidence
from readings import build_times, cold_starts, qualities
from verdicts import Race

# Estimates are sums of logarithms, in one order or another; ends are looked up on a grid.
TOLERANCE = 1e-11


def with_duplicates(evidence, found, tied):
    """The verdicts with those of each duplicate: what its original has, and their tie."""
    for duplicate, original in evidence.duplicates():
        if original not in evidence.alive:
            continue
        for (a, b, case), row in list(found.items()):
            if original in (a, b):
                names = [duplicate if name == original else name for name in (a, b)]
                found[(*names, case)] = row
    row = {"verdict": "tie", "below_threshold": tied, "count": 0}
    row |= {"value": 0.0, "low": 0.0, "high": 0.0, "typical": None}
    repeated = {}
    for duplicate, original in evidence.duplicates():
        same = repeated.setdefault(original, [original])
        found |= {(other, duplicate, None): row for other in same}
        same.append(duplicate)
    return found


def recomputed(evidence):
    """Every verdict: by reading, pair and case. Ratios are logarithms."""
    found = {}
    sources = {criterion["source"]: criterion for criterion in evidence.report["criteria"]}
    if evidence.pilot:
        race = Race(evidence, "time")
        by_reading = {"time": race.rows(by_case=True)}
        if "wall" in sources:
            by_reading["wall"] = Race(evidence, "wall").rows(by_case=False)
        if "cold-start" in sources:
            starts = cold_starts(race)
            by_reading["cold-start"] = {(*pair, None): row for pair, row in starts.items()}
        for reading, rows in by_reading.items():
            found[reading] = with_duplicates(evidence, rows, True)
    if "build-time" in sources:
        found["build-time"] = {(*pair, None): row for pair, row in build_times(evidence).items()}
    for source, criterion in sources.items():
        if source.startswith("assess:") or source.startswith("evaluator:"):
            rows = qualities(evidence, criterion)
            found[source] = {(*pair, None): row for pair, row in rows.items()}
    return found


def logarithm(value):
    return None if value is None else math.log(value)


def reported(report):
    """What the report says, in the same form."""
    found = {}
    tables = [("time", report["verdicts"]), ("wall", report.get("wall_verdicts") or [])]
    tables += (report.get("reading_verdicts") or {}).items()
    for reading, rows in tables:
        for row in rows:
            is_ratio = row.get("claim", "ratio") == "ratio"
            ends = {key: row[key] for key in ("low", "high")}
            ends["value"] = row["ratio"] if "ratio" in row else row["value"]
            ends = {key: logarithm(v) if is_ratio else v for key, v in ends.items()}
            kept = {key: row[key] for key in ("verdict", "below_threshold")}
            kept |= {"count": row["count"]} if "count" in row else {}
            if reading in ("time", "wall"):
                kept["typical"] = logarithm(row.get("typical"))
            case = row.get("case")
            name = row["a"], row["b"], None if case is None else str(case)
            found.setdefault(reading, {})[name] = kept | ends
    return found


def agree(kept, found):
    if isinstance(kept, float) and isinstance(found, float):
        return abs(kept - found) <= TOLERANCE * max(1.0, abs(found))
    return kept == found


def main(folder, report, run="1"):
    evidence = Evidence(folder, report, int(run))
    said, found, wrong = reported(evidence.report), recomputed(evidence), 0
    counts = Counter()
    for reading in sorted(said.keys() | found.keys()):
        of_report, own = said.get(reading, {}), found.get(reading, {})
        for name in sorted(of_report.keys() | own.keys(), key=str):
            kept, row = of_report.get(name), own.get(name)
            if kept and row and all(agree(value, row.get(key)) for key, value in kept.items()):
                counts[reading, row["verdict"]] += 1
                continue
            wrong += 1
            print(f"{reading} {name}\n  report:    {kept}\n  reference: {row}")
    for (reading, verdict), count in sorted(counts.items()):
        print(f"{count} {reading} {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
