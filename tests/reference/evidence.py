"""What was kept of a run: the files that `bakeoff export` writes, and of `report.json` what was
asked for (criteria, confidence, practical threshold) and who failed. Nothing of a verdict is taken from
either."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from sequences import hodges_lehmann


@dataclass(frozen=True)
class Clock:
    """What a time may be off: the clock's own resolution, and by case that of short calls."""

    ns: float
    short: dict


class Sample:
    """A sample of the race or of the pilot, by one clock."""

    def __init__(self, row, clock, per_call):
        self.single = row["kind"] == "single-call"
        self.block = row["block"]
        self.log = math.log(max(per_call, 1.0))
        self.duration = row[clock]
        self.contention = row.get("core_contention")
        self.total = max(per_call, 1.0) * row["calls"]


class Replica:
    """The samples of a replica by variant and case, of one clock."""

    def __init__(self, number=None, alone=False, probes=(None, None, None)):
        self.number, self.alone, self.probes = number, alone, probes
        self.samples = defaultdict(list)

    def quiet_part(self, most):
        """What was measured on a quiet core; `None` if that is less than a quarter of its blocks."""
        blocks = {}
        for (_, case), samples in self.samples.items():
            for s in [s for s in samples if not s.single]:
                quiet = s.contention is not None and s.contention <= most
                place = case, s.block
                blocks[place] = blocks.get(place, True) and quiet
        count = sum(blocks.values())
        if count == 0 or 4 * count < len(blocks):
            return None
        part = Replica(self.number, self.alone, self.probes)
        for (variant, case), samples in self.samples.items():
            kept = [s for s in samples if s.single or blocks[case, s.block]]
            if kept:
                part.samples[variant, case] = kept
        return part

    def rest(self, most):
        """What is left without its quiet part."""
        part, rest = self.quiet_part(most), Replica(self.number, self.alone, self.probes)
        for place, samples in self.samples.items():
            kept = part.samples[place] if part and place in part.samples else []
            left = [s for s in samples if s not in kept]
            if left:
                rest.samples[place] = left
        return rest

    def of(self, variant, case, single):
        return [s for s in self.samples[variant, case] if s.single == single]

    def by_block(self, a, b, case, single):
        """The differences of two on a case, by the blocks in which both took part."""
        others = {s.block: s.log for s in self.of(b, case, single)}
        own = self.of(a, case, single)
        return {s.block: s.log - others[s.block] for s in own if s.block in others}

    def totals(self, a, b, case, single):
        """The total times of two on a case, in the blocks in which both took part."""
        blocks = self.by_block(a, b, case, single)
        found = [[s.total for s in self.of(v, case, single) if s.block in blocks] for v in (a, b)]
        return tuple(map(sum, found))

    def difference(self, a, b, case, single):
        found = self.by_block(a, b, case, single)
        return hodges_lehmann(list(found.values())) if found else None

    def resolution(self, clock, a, b, case, single):
        """How much of a sample of each the clock cannot tell, added up; of a short call itself."""
        total = 0.0
        for variant in (a, b):
            samples = self.of(variant, case, single)
            if not samples:
                return None
            if case in clock.short:
                wrong, of = clock.short[case], [math.exp(s.log) for s in samples]
            else:
                wrong, of = clock.ns, [s.duration for s in samples]
            total += wrong * len(of) / max(sum(of), 1)
        return total


class Evidence:
    """All that the verdicts of one run follow from."""

    def __init__(self, folder, report, run):
        self.folder, self.run = Path(folder), run
        self.report = json.loads(Path(report).read_text(encoding="utf-8"))
        self.results = defaultdict(list)
        for row in self.rows("results"):
            self.results[row["kind"]].append(row)
        failed = {row["id"] for row in self.report["variants"] if row["failure"]}
        declared = sorted(self.rows("variants"), key=lambda row: row["position"])
        self.alive = [row["variant"] for row in declared if row["variant"] not in failed]
        race, self.pilot = self.value("race"), self.value("pilot")
        self.raced = race["variants"] if race else []
        self.cases = race["cases"] if race else []
        self.read_plan()

    def rows(self, table):
        lines = (self.folder / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
        return [row for row in map(json.loads, lines) if row["run"] == self.run]

    def value(self, kind):
        rows = self.results[kind]
        return rows[0]["value"] if rows else None

    def read_plan(self):
        """What the pilot fixed: the cases that are timed, and who makes single calls on which."""
        plan = self.pilot["sampling"] if self.pilot else {"calls": [], "single_calls": []}
        self.timed = [case for case, calls in zip(self.cases, plan["calls"]) if calls > 0]
        self.short = {
            self.cases[row["case"]]: row["uncertain_ns"] for row in plan.get("short_cases", [])
        }
        self.single_calls = {
            (self.raced[row["variant"]], self.cases[case])
            for row in plan["single_calls"]
            for case in row["cases"]
        }

    def most_of_quiet(self):
        """The largest reading of a quiet core; `None` if nobody knows what one is."""
        quiet = self.pilot.get("quiet") if self.pilot else None
        return quiet["reference"] * (1 + quiet["tolerance"]) if quiet else None

    def has_few_layouts(self, a, b):
        """Whether the code of one of two lies in fewer than eight places."""
        kept = self.pilot.get("layouts") or []
        few = {variant for variant, layouts in zip(self.raced, kept) if layouts < 8}
        return bool(few & {a, b})

    def kind(self, a, b):
        """The timed cases on which two are compared by single calls."""
        slow = self.single_calls
        return frozenset(c for c in self.timed if (a, c) in slow or (b, c) in slow)

    def replicas(self, clock):
        """The replicas that count, in the order of their launch."""
        counted = {
            row["replica"]: Replica(
                row["replica"],
                row["solo"] == 1,
                (row["contention_probe_ns"], row["core_contention"], row["cache_probe_ns"]),
            )
            for row in self.rows("replicas")
            if row["counts"] == 1
        }
        for row in self.rows("samples"):
            if row["replica"] in counted:
                sample = Sample(row, clock, row[f"{clock}_per_call"])
                counted[row["replica"]].samples[row["variant"], row["case"]].append(sample)
        return [counted[number] for number in sorted(counted)]

    def pilot_replica(self, clock):
        """The pilot's own replica; without samples if there was no time for one."""
        replica, kept = Replica(), self.pilot["replica"] or {"samples": []}
        for row in kept["samples"]:
            per_call = row[clock] / row["calls"] - kept["baselines"][row["case"]][clock]
            name = self.raced[row["variant"]], self.cases[row["case"]]
            replica.samples[name].append(Sample(row, clock, per_call))
        return replica

    def first_calls(self):
        """By replica that counts: the first call of each variant."""
        calls = defaultdict(dict)
        for row in self.rows("first_calls"):
            calls[row["replica"]][row["variant"]] = row["cpu_ns"]
        return calls

    def duplicates(self):
        """Each variant with the earlier one that is the same component with the same files."""
        identities, found = {}, []
        inputs = {row["variant"]: dict(row["inputs"]) for row in self.results["gate"]}
        for variant in self.alive:
            if variant in inputs:
                identity = inputs[variant]["component"], inputs[variant].get("files")
                original = identities.setdefault(identity, variant)
                if original != variant:
                    found.append((variant, original))
        return found
