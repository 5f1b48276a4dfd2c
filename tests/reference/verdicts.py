"""The verdicts of a race by CPU time and by wall time, as docs/measuring.md defines them."""

import math
from functools import cache
from itertools import combinations
from statistics import median

from evidence import Clock
from sequences import GRID, Symmetric, deviation, hodges_lehmann

CLOCKS = {"time": "cpu_ns", "wall": "wall_ns"}
LEAST_PRACTICAL = {"time": 0.0, "wall": 0.02}
# By whether anybody knows what a quiet core is.
BASES = {True: {"quiet": 0.7, "all": 0.2, "solo": 0.1}, False: {"all": 0.9, "solo": 0.1}}
P_MAX = 0.003
MACHINE_NS = 1e8


def varies(criterion):
    source = criterion["source"]
    if source.startswith("evaluator:"):
        return not criterion.get("exact", False)
    return source in ("wall", "cold-start", "build-time") or source.startswith("assess:")


class Claims:
    """The table of α."""

    def __init__(self, evidence):
        report = evidence.report
        self.alpha = 1 - report["protocol"]["confidence"]
        readings = {c["source"] for c in report["criteria"] if varies(c)}
        self.of_reading = 1 / (1 + len(readings))
        self.timed = len(evidence.timed)

    def of_scope(self, case):
        if self.timed <= 1:
            return 1.0
        return 0.8 if case is None else 0.2 / self.timed

    def level(self, compared, share=1.0):
        """The logarithm of the evidence that a claim of this share needs."""
        compared = max(compared, 2)
        return math.log(compared * (compared - 1) / (self.alpha * self.of_reading * share))


def ratio_row(differences, ends, near):
    """Verdict, estimate and interval from differences of logarithms."""
    low, high = ends
    faster, slower = high is not None and high <= 0, low is not None and low >= 0
    if faster != slower:
        verdict = "beats" if faster else "beaten"
    elif None not in ends and -near <= low and high <= near and not faster:
        verdict = "tie"
    else:
        verdict = "no-call"
    if None not in ends and low > high:
        low, high = high, low
    shown = hodges_lehmann(differences) if differences else None
    row = {"verdict": verdict, "value": shown, "low": low, "high": high, "count": len(differences)}
    return inside(row, near)


def wider(ends):
    """The ends where some of the difference may come from where code lies: in order, 5 % further out."""
    low, high = ends if None in ends else sorted(ends)
    more = math.log(1.05)
    return None if low is None else low - more, None if high is None else high + more


def inside(row, near):
    """The row with its estimate moved into the interval."""
    value, low, high = row["value"], row["low"], row["high"]
    if value is not None:
        value = value if low is None else max(value, low)
        value = value if high is None else min(value, high)
    sure = row["verdict"] in ("beats", "beaten")
    small = sure and value is not None and abs(value) < near
    return row | {"value": value, "below_threshold": small}


class Race:
    """The differences of all pairs by one clock."""

    def __init__(self, evidence, reading):
        self.evidence, self.claims = evidence, Claims(evidence)
        self.near = math.log1p(
            max(evidence.report["protocol"]["practical"], LEAST_PRACTICAL[reading])
        )
        self.replicas = evidence.replicas(CLOCKS[reading])
        self.pilot = evidence.pilot_replica(CLOCKS[reading])
        self.clock_ns = evidence.pilot["clock_ns"]
        self.clock = Clock(self.clock_ns, evidence.short)
        failed = [row["variant"] for row in evidence.pilot["failed"]]
        # The inputs of a failure are those of its race, and which variant it is.
        inputs = evidence.results["pilot"][0]["inputs"]
        dropped = (row for row in evidence.results["dropout"] if row["inputs"][:-1] == inputs)
        failed += [row["value"]["variant"] for row in dropped]
        gone = {evidence.raced[place] for place in failed}
        self.pairs = [p for p in combinations(evidence.raced, 2) if not gone & set(p)]
        self.most_of_quiet = evidence.most_of_quiet()
        self.bases = BASES[self.most_of_quiet is not None]

    @cache
    def counted(self, basis, replica):
        """What of a replica counts, or `None`."""
        if basis == "quiet":
            return replica.quiet_part(self.most_of_quiet)
        return replica if basis == "all" or replica.alone else None

    def basis_by_probe(self, replicas):
        """Quiet cores where a third of the replicas had one, all replicas otherwise."""
        if self.most_of_quiet is None:
            return "all"
        quiet = sum(self.counted("quiet", replica) is not None for replica in replicas)
        return "quiet" if quiet and 3 * quiet >= len(replicas) else "all"

    @cache
    def in_replica(self, a, b, case, replica):
        """Difference and resolution of a pair on a case in a replica, or `None`."""
        single = case in self.evidence.kind(a, b)
        difference = replica.difference(a, b, case, single)
        if difference is None:
            return None
        return difference, replica.resolution(self.clock, a, b, case, single)

    def differences(self, a, b, cases, replicas):
        """The replicas in which a pair has a difference, each with it and its resolution."""
        found = []
        for replica in replicas if cases else []:
            on_case = [self.in_replica(a, b, case, replica) for case in cases]
            if None not in on_case:
                found.append((replica, *map(mean, zip(*on_case))))
        return found

    def first(self, a, b, cases):
        """Scale and resolution of a pair's first two differences, from the pilot."""
        on_case = [self.pilot.by_block(a, b, c, single=False) for c in cases]
        blocks = set.intersection(*map(set, on_case)) if cases else set()
        if len(blocks) < 4:
            return None
        finest = [self.pilot.resolution(self.clock, a, b, c, False) for c in cases]
        return deviation([mean([c[block] for c in on_case]) for block in blocks]), mean(finest)

    def those_that_count(self, basis, replicas):
        counted = [self.counted(basis, replica) for replica in replicas]
        return [replica for replica in counted if replica is not None]

    def direct(self, pair, case, basis, replicas):
        """The verdict about a pair that its own differences give."""
        cases = self.evidence.timed if case is None else [case]
        found = self.differences(*pair, cases, self.those_that_count(basis, replicas))
        differences = [difference for _, difference, _ in found]
        sequence = Symmetric(differences, [r for _, _, r in found], self.first(*pair, cases))
        scope = self.claims.of_scope(case)
        level = self.claims.level(len(self.evidence.raced), self.bases[basis] * scope)
        ends = sequence.ends(level, (0.0, -self.near, self.near))
        if self.evidence.has_few_layouts(*pair):
            ends = wider(ends)
        row = ratio_row(differences, ends, self.near)
        crowded = [r.rest(self.most_of_quiet) for r in replicas] if basis == "quiet" else []
        row |= self.totals(row, pair, cases, [replica for replica, _, _ in found], crowded)
        if basis == "quiet":
            # With the neighbours: among all replicas.
            found = self.differences(*pair, cases, replicas)
        sides = inversion(found, self.near, P_MAX * self.claims.of_reading * scope)
        if sides is None:
            return row | {"sides": None, "inverts": False}
        part, sides = sides
        if basis == "quiet" and part == "core" and agrees(row["verdict"], sides[0]):
            return row | {"sides": sides, "inverts": False}
        return withheld(row, sides) | {"inverts": True}

    def totals(self, row, pair, cases, replicas, crowded):
        """What changes where total times say something else than the interval."""
        by_case = []
        for case in cases if replicas else []:
            single = case in self.evidence.kind(*pair)
            times = [replica.totals(*pair, case, single) for replica in replicas]
            usual = median(replica.difference(*pair, case, single) for replica in replicas)
            there = [replica.difference(*pair, case, single) for replica in crowded]
            there = [difference for difference in there if difference is not None]
            # On crowded cores, as if the usual ratio were that of quiet ones.
            scale = math.exp(usual - median(there)) if there else 1.0
            for replica in crowded:
                if replica.difference(*pair, case, single) is not None:
                    a, b = replica.totals(*pair, case, single)
                    times.append((a * scale, b))
            by_case.append((times, usual))
        total = beyond_the_machine(by_case, self.near)
        if total is None and by_case and len(replicas) < 24:
            logs = [math.log(sum(a for a, _ in t) / sum(b for _, b in t)) for t, _ in by_case]
            if is_suspected(mean(logs), row, self.near):
                total = mean(logs)
        return against_totals(row, total)

    def changes_places(self, a, b, replicas):
        """Whether who of a pair is faster is another alone than side by side, of what counts."""
        found = self.differences(a, b, self.evidence.timed, replicas)
        alone = [difference for replica, difference, _ in found if replica.alone]
        beside = [difference for replica, difference, _ in found if not replica.alone]
        if min(len(alone), len(beside)) < 4:
            return False
        one, other = median(alone), median(beside)
        far = min(abs(one), abs(other)) > self.near
        return one * other < 0 and far and all(value * one > 0 for value in alone)

    def must_fall_back(self, replicas):
        """Whether verdicts must rest on the replicas that ran alone, of those so far."""
        if all(replica.alone for replica in replicas):
            return False
        basis = self.basis_by_probe(replicas)
        counted = self.those_that_count(basis, replicas)
        if any(self.changes_places(a, b, counted) for a, b in self.pairs):
            return True
        rows = {pair: self.direct(pair, None, basis, replicas) for pair in self.pairs}
        inverting = [pair for pair in self.pairs if rows[pair]["inverts"]]
        beaten = {loser for loser in map(loser_of, rows, rows.values()) if loser}
        return any(a not in beaten and b not in beaten for a, b in inverting)

    def basis(self):
        """The basis of the race, and the replicas that it consists of."""
        so_far = range(1, len(self.replicas) + 1)
        if any(self.must_fall_back(self.replicas[:count]) for count in so_far):
            return "solo", [replica for replica in self.replicas if replica.alone]
        return self.basis_by_probe(self.replicas), self.replicas

    def rows(self, basis, by_case):
        """All verdicts, by pair and case."""
        name, replicas = basis
        overall = {pair: self.direct(pair, None, name, replicas) for pair in self.pairs}
        add_implied(overall, self.evidence.kind, self.near)
        found = {(a, b, None): row for (a, b), row in overall.items()}
        if by_case and len(self.evidence.timed) > 1:
            for pair in self.pairs:
                for case in self.evidence.timed:
                    found[(*pair, case)] = self.direct(pair, case, name, replicas)
        return found


def beyond_the_machine(by_case, near):
    """The difference of the total times, if not even the machine can have made it."""
    if not by_case:
        return None
    logs = [math.log(sum(a for a, _ in times) / sum(b for _, b in times)) for times, _ in by_case]
    total = mean(logs)
    if total < 0:
        turned = [([(b, a) for a, b in times], -usual) for times, usual in by_case]
    else:
        turned = by_case
    least = mean([least_total(times, usual) for times, usual in turned])
    return total if min(abs(total), least) > near else None


def is_suspected(total, row, near):
    """Whether total times say the opposite of a verdict, far from its interval."""
    if row["verdict"] not in ("beats", "beaten") or abs(total) <= near:
        return False
    end = row["high"] if row["verdict"] == "beats" else row["low"]
    return contradicts(total, row["verdict"]) and abs(total - end) > math.log(1.1)


def least_total(times, usual):
    """The difference of the totals if the machine made all of the excess that it may have made."""
    excess = sorted((a - math.exp(usual) * b, math.exp(usual) * b) for a, b in times)
    opposite = [3 * max(0.0, -value) for value, _ in excess]
    machine, excess = [opposite[0], *opposite[:-1]], excess[::-1]
    for place, least in zip(range(len(excess)), (MACHINE_NS, 0)):
        machine[place] = max(machine[place], least + excess[place][1])
    left = sum(max(0.0, value - share) for (value, _), share in zip(excess, machine, strict=True))
    return math.log(math.exp(usual) + left / sum(b for _, b in times))


def against_totals(row, total):
    """A row whose interval holds the totals, without a verdict that they contradict."""
    low, high = row["low"], row["high"]
    end = high if total is not None and total > 0 else low
    if total is None or (end is not None and abs(total) <= abs(end) and total * end > 0):
        return {"total": None, "withheld": False}
    held = {
        "total": total,
        "low": None if low is None else min(low, total),
        "high": None if high is None else max(high, total),
        "withheld": contradicts(total, row["verdict"]),
    }
    return held | ({"verdict": "no-call", "below_threshold": False} if held["withheld"] else {})


def contradicts(total, verdict):
    return {"beats": total > 0, "beaten": total < 0, "tie": True}.get(verdict, False)


def mean(values):
    return sum(values) / len(values)


def loser_of(pair, row):
    return {"beats": pair[1], "beaten": pair[0]}.get(row["verdict"])


def agrees(verdict, quiet):
    """Whether a verdict about quiet cores is what the quietest replicas say."""
    return {"beats": quiet < 0, "beaten": quiet > 0, "tie": False}.get(verdict, True)


def withheld(row, sides):
    """No call, and an interval that holds what was found on both kinds of cores."""
    low, high = row["low"], row["high"]
    low = None if low is None else min(low, *sides)
    high = None if high is None else max(high, *sides)
    given = {"verdict": "no-call", "below_threshold": False}
    return row | given | {"low": low, "high": high, "sides": sides}


def inversion(found, near, p_max):
    """What it goes with, and the differences where that is quiet and where it is crowded, if they have
    opposite signs."""
    # The core's execution units: over work that waits, where every replica has that; and the caches.
    has_ratio = all(positive(r.probes[1]) or not positive(r.probes[0]) for r, _, _ in found)
    for part, probe in (("core", 1 if has_ratio else 0), ("caches", 2)):
        sides = inversion_by(probe, found, near, p_max / 2)
        if sides:
            return part, sides
    return None


def positive(reading):
    return reading is not None and reading > 0


def inversion_by(probe, found, near, p_max):
    """The same by one of the probes."""
    known = [(r.probes[probe], difference) for r, difference, _ in found]
    known = [row for row in known if positive(row[0])]
    if len(known) < 8:
        return None
    known.sort(key=lambda one: one[0])
    side = max(len(known) // 6, 4)
    quiet = hodges_lehmann([difference for _, difference in known[:side]])
    crowded = hodges_lehmann([difference for _, difference in known[-side:]])
    if quiet * crowded >= 0 or min(abs(quiet), abs(crowded)) <= near:
        return None
    return (quiet, crowded) if spearman_p(*zip(*known, strict=True)) < p_max else None


def ranks(values):
    return [
        (1 + sum(v < value for v in values) + sum(v <= value for v in values)) / 2
        for value in values
    ]


def spearman_p(x, y):
    """The two-sided p-value of Spearman's correlation."""
    count = len(x)
    x, y = ([r - (count + 1) / 2 for r in ranks(values)] for values in (x, y))
    norm = math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    if norm == 0:
        return 1.0
    rho = min(1.0, abs(sum(a * b for a, b in zip(x, y, strict=True))) / norm)
    return max(2 / math.factorial(count), student_p(rho, count - 2))


def student_p(rho, freedom):
    """P(|T| ≥ t) of Student's t with ρ = sin(atan(t / √freedom)), by its finite series."""
    cos2, term = 1 - rho * rho, 1.0
    if freedom % 2:
        if freedom == 1:
            return 1 - 2 / math.pi * math.asin(rho)
        total, term = 0.0, math.sqrt(cos2)
        for k in range(1, freedom - 1, 2):
            total += term
            term *= cos2 * (k + 1) / (k + 2)
        return 1 - 2 / math.pi * (math.asin(rho) + rho * total)
    total = 0.0
    for k in range(0, freedom - 1, 2):
        total += term
        term *= cos2 * (k + 1) / (k + 2)
    return 1 - rho * total


def add_implied(rows, kind_of, near):
    """Gives open pairs the verdict that follows from others of their kind."""
    names = sorted({name for pair in rows for name in pair})
    for kind in {kind_of(*pair) for pair in rows}:
        ends = {}
        for (a, b), row in rows.items():
            if kind_of(a, b) == kind and row["verdict"] == "beats":
                ends[a, b] = row["high"]
            elif kind_of(a, b) == kind and row["verdict"] == "beaten":
                ends[b, a] = -row["low"]
        for middle in names:
            for a in names:
                for b in names:
                    if (a, middle) in ends and (middle, b) in ends:
                        end = ends[a, middle] + ends[middle, b]
                        ends[a, b] = min(ends.get((a, b), math.inf), end)
        for (a, b), row in rows.items():
            is_open = row["verdict"] == "no-call" and not row["inverts"] and not row["withheld"]
            if not is_open or kind_of(a, b) != kind or ((a, b) in ends) == ((b, a) in ends):
                continue
            implied = "beats" if (a, b) in ends else "beaten"
            if row["total"] is not None and contradicts(row["total"], implied):
                continue
            if (a, b) in ends:
                known = math.inf if row["high"] is None else row["high"]
                given = {"verdict": "beats", "high": min(known, outwards(ends[a, b]))}
            else:
                known = -math.inf if row["low"] is None else row["low"]
                given = {"verdict": "beaten", "low": max(known, -outwards(ends[b, a]))}
            rows[a, b] = inside(row | given, near)


def outwards(end):
    """The next multiple of the grid from an upper end on."""
    return math.ceil(end / GRID - 1e-6) * GRID
