"""What was kept of a run: the files that `bakeoff export` writes, and of `report.json` what was
asked for (criteria, confidence, practical threshold) and who failed. Nothing of a verdict is taken from
either."""

import json
import math
from collections import defaultdict
from pathlib import Path
from statistics import median

from sequences import deviation


class Samples:
    """The samples of a variant on a case in a replica: their totals by block, their calls, and how much of them the clock
    cannot tell (`wrong` of `whole`)."""

    def __init__(self):
        self.totals, self.calls, self.wrong, self.whole = {}, 0, 0.0, 0.0


class Comparison:
    """What a replica says of two: by case the blocks in which both took a sample, with both totals."""

    def __init__(self, is_set):
        self.is_set, self.blocks, self.resolutions = is_set, {}, []

    def difference(self):
        """D: over the cases, the mean of ln(ΣT_a / ΣT_b)."""
        return mean(log_ratio(found.values()) for found in self.blocks.values())

    def typical(self):
        """The same with the median of the blocks in the place of their sums."""
        on_case = self.blocks.values()
        return mean(median(math.log(a / b) for a, b in found.values()) for found in on_case)

    def resolution(self):
        return mean(self.resolutions)

    def by_block(self):
        """The differences of the blocks: of a set on what they drew, else where both ran on every case."""
        found = []
        for block in sorted(set().union(*self.blocks.values())):
            on_case = [case[block] for case in self.blocks.values() if block in case]
            if self.is_set or len(on_case) == len(self.blocks):
                found.append(mean(math.log(a / b) for a, b in on_case))
        return found

    def first_scale(self):
        """Of a pilot: the scale of the first two replicas, `None` if it has too few blocks."""
        found = self.by_block()
        return max(deviation(found), self.resolution()) if len(found) >= 4 else None


class Replica:
    """The samples of a replica by variant and case, of one clock."""

    def __init__(self, number=None):
        self.number, self.samples = number, defaultdict(Samples)

    def compare(self, a, b, cases, is_set):
        """What it says of two on these cases; `None` if they did not meet on all of them, of a set if on
        none."""
        found = Comparison(is_set)
        for case in cases:
            of_a, of_b = (self.samples.get((variant, case), Samples()) for variant in (a, b))
            blocks = of_a.totals.keys() & of_b.totals.keys()
            if blocks:
                totals = {block: (of_a.totals[block], of_b.totals[block]) for block in blocks}
                found.blocks[case] = totals
                resolution = (of.wrong / max(of.whole, 1.0) for of in (of_a, of_b))
                found.resolutions.append(sum(resolution))
            elif not is_set:
                return None
        return found if found.blocks else None


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def log_ratio(blocks):
    """ln(ΣT_a / ΣT_b)."""
    of_a, of_b = map(math.fsum, zip(*blocks, strict=True))
    return math.log(of_a / of_b)


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
        """What the pilot fixed: the cases that are timed, and whether they are one set."""
        plan = self.pilot["sampling"] if self.pilot else {"calls": []}
        self.timed = [case for case, calls in zip(self.cases, plan["calls"]) if calls > 0]
        self.is_set = plan.get("instances_per_block") is not None
        self.short = {
            self.cases[row["case"]]: row["uncertain_ns"] for row in plan.get("short_cases", [])
        }

    def gone(self):
        """The variants of the race that have no verdicts by time: not timed, or failed in it."""
        places = self.pilot["sampling"].get("untimed", [])
        places = places + [row["variant"] for row in self.pilot["failed"]]
        # The inputs of a failure are those of its race, and which variant it is.
        inputs = self.results["pilot"][0]["inputs"]
        dropped = (row for row in self.results["dropout"] if row["inputs"][:-1] == inputs)
        places += [row["value"]["variant"] for row in dropped]
        return {self.raced[place] for place in places}

    def overruns(self, clock):
        """By variant: the case on which a sample was ended, the number of its calls and how long it had taken."""
        if not self.pilot:
            return {}
        inputs = self.results["pilot"][0]["inputs"]
        kept = (row["value"] for row in self.results["overrun"] if row["inputs"][:-1] == inputs)
        return {
            self.raced[row["variant"]]: (self.cases[row["case"]], row["calls"], row[clock])
            for row in kept
        }

    def has_few_layouts(self, a, b):
        """Whether the code of one of two lies in fewer than eight places."""
        kept = self.pilot.get("layouts") or []
        few = {variant for variant, layouts in zip(self.raced, kept) if layouts < 8}
        return bool(few & {a, b})

    def add(self, replica, name, row, clock, per_call):
        """Adds a sample by one clock; `per_call` is its time for a call, less what nothing takes."""
        samples, per_call = replica.samples[name], max(per_call, 1.0)
        samples.totals[row["block"]] = per_call * row["calls"]
        samples.calls += row["calls"]
        short = self.short.get(name[1])
        samples.wrong += self.pilot["clock_ns"] if short is None else short
        samples.whole += max(row[clock], 1) if short is None else per_call

    def replicas(self, clock):
        """The replicas that count, in the order of their launch."""
        rows = (row for row in self.rows("replicas") if row["counts"] == 1)
        counted = {row["replica"]: Replica(row["replica"]) for row in rows}
        for row in self.rows("samples"):
            if row["replica"] in counted:
                name = row["variant"], row["case"]
                self.add(counted[row["replica"]], name, row, clock, row[f"{clock}_per_call"])
        return [counted[number] for number in sorted(counted)]

    def pilot_replica(self, clock):
        """The pilot's own replica; without samples if there was no time for one."""
        replica, kept = Replica(), self.pilot["replica"] or {"samples": []}
        for row in kept["samples"]:
            per_call = row[clock] / row["calls"] - kept["baselines"][row["case"]][clock]
            name = self.raced[row["variant"]], self.cases[row["case"]]
            self.add(replica, name, row, clock, per_call)
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
