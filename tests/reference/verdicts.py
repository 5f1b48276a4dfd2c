"""The verdicts of a race by CPU time and by wall time, as docs/verdicts.md defines them."""

import math
from functools import cache
from itertools import combinations
from statistics import median, stdev

from evidence import log_ratio, mean
from sequences import GRID, Symmetric, scaled

CLOCKS = {"time": "cpu_ns", "wall": "wall_ns"}
LEAST_PRACTICAL = {"time": 0.0, "wall": 0.02}
BY_REPLICAS, BY_BLOCKS = 0.7, 0.3
FEW_LAYOUTS = math.log(1.05)
PROCESS = math.log(1.5)
BLOCK_SCALE = 0.1
OBVIOUS_REPLICAS = 2, 8


def varies(criterion, is_set):
    source = criterion["source"]
    if source.startswith("evaluator:"):
        return not criterion.get("exact", False)
    if source.startswith("assess:"):
        return not is_set
    return source in ("wall", "cold-start", "build-time")


class Claims:
    """The table of α."""

    def __init__(self, evidence):
        report = evidence.report
        self.alpha = 1 - report["protocol"]["confidence"]
        criteria = report["criteria"]
        readings = {c["source"] for c in criteria if varies(c, evidence.is_set)}
        self.of_reading = 1 / (1 + len(readings))
        self.by_case = [] if evidence.is_set or len(evidence.timed) < 2 else evidence.timed

    def of_scope(self, case):
        if case is not None:
            return 0.2 / len(self.by_case)
        return 0.8 if self.by_case else 1.0

    def level(self, compared, share=1.0):
        """The logarithm of the evidence that a claim of this share needs."""
        compared = max(compared, 2)
        return math.log(compared * (compared - 1) / (self.alpha * self.of_reading * share))


def have_crossed(ends):
    return None not in ends and ends[0] > ends[1]


def ratio_row(value, ends, near, count, crossed=False):
    """Verdict and interval from an estimate and its ends, in logarithms; none if these `crossed`."""
    low, high = ends
    crossed |= have_crossed(ends)
    faster, slower = high is not None and high <= 0, low is not None and low >= 0
    if crossed or faster and slower:
        verdict = "no-call"
    elif faster or slower:
        verdict = "beats" if faster else "beaten"
    else:
        verdict = "tie" if None not in ends and -near <= low and high <= near else "no-call"
    row = {"verdict": verdict, "low": low, "high": high, "count": count}
    return inside(row | {"value": value}, near)


def inside(row, near):
    """The row with its ends in order, and its estimate between them."""
    value, low, high = row["value"], row["low"], row["high"]
    if None not in (low, high):
        low, high = min(low, high), max(low, high)
    if value is not None:
        value = value if low is None else max(value, low)
        value = value if high is None else min(value, high)
    sure = row["verdict"] in ("beats", "beaten")
    small = sure and value is not None and abs(value) < near
    return row | {"value": value, "low": low, "high": high, "below_threshold": small}


def inner(one, other, closer):
    known = [end for end in (one, other) if end is not None]
    return closer(known) if known else None


def wider(ends, by):
    low, high = ends
    return None if low is None else low - by, None if high is None else high + by


class Race:
    """The comparisons of all pairs by one clock."""

    def __init__(self, evidence, reading):
        self.evidence, self.claims = evidence, Claims(evidence)
        practical = evidence.report["protocol"]["practical"]
        self.near = math.log1p(max(practical, LEAST_PRACTICAL[reading]))
        self.landmarks = 0.0, -self.near, self.near
        self.replicas = evidence.replicas(CLOCKS[reading])
        self.pilot = evidence.pilot_replica(CLOCKS[reading])
        self.overruns = evidence.overruns(CLOCKS[reading])
        gone = evidence.gone()
        self.pairs = [p for p in combinations(evidence.raced, 2) if not gone & set(p)]

    @cache
    def compare(self, replica, pair, case):
        cases = self.evidence.timed if case is None else [case]
        return replica.compare(*pair, cases, self.evidence.is_set)

    def level(self, case, share):
        """The evidence that a claim by replicas or by blocks needs."""
        share *= self.claims.of_scope(case)
        return self.claims.level(len(self.evidence.raced), share)

    def direct(self, pair, case):
        """The verdict about a pair that its own differences give."""
        found = [self.compare(replica, pair, case) for replica in self.replicas]
        found = [comparison for comparison in found if comparison is not None]
        of_pilot = self.compare(self.pilot, pair, case)
        if not found:
            return ratio_row(None, (None, None), self.near, 0) | {"typical": None}
        by_replica = self.by_replicas(found, of_pilot, case)
        by_block = self.by_blocks(found, case)
        ends = inner(by_replica[0], by_block[0], max), inner(by_replica[1], by_block[1], min)
        crossed = have_crossed(ends)
        ends = ends[::-1] if crossed else ends
        if self.evidence.has_few_layouts(*pair):
            ends = wider(ends, FEW_LAYOUTS)
        timed = found + [of_pilot] if of_pilot else found
        total, _ = self.total(timed, pair, (0, 1))
        lowest, error = self.total(timed, pair, (1,))
        highest, more = self.total(timed, pair, (0,))
        ends = holding(ends, lowest - 2 * error, highest + 2 * more)
        row = ratio_row(total, ends, self.near, len(found), crossed)
        typical = median(comparison.typical() for comparison in found)
        outside = row["low"] is not None and typical < row["low"]
        outside |= row["high"] is not None and typical > row["high"]
        apart = outside and abs(typical - row["value"]) > self.near
        return row | {"typical": typical if apart else None}

    def by_replicas(self, found, of_pilot, case):
        """The ends by the differences of the replicas."""
        differences = [comparison.difference() for comparison in found]
        resolutions = [comparison.resolution() for comparison in found]
        bets = scaled(differences, resolutions, of_pilot and of_pilot.first_scale())
        sequence, level = Symmetric(bets, len(found) - len(bets)), self.level(case, BY_REPLICAS)
        return [sequence.end(level, self.landmarks, sign) for sign in (1, -1)]

    def by_blocks(self, found, case):
        """The ends by the differences of the blocks, if all say that they are obvious."""
        least, most = OBVIOUS_REPLICAS
        found = [(c.by_block(), c.difference()) for c in found]
        found = [(blocks, total) for blocks, total in found if blocks][:most]
        said = [value for blocks, total in found for value in (median(blocks), total)]
        beyond = all(value > PROCESS for value in said) or all(value < -PROCESS for value in said)
        if len(found) < least or not beyond:
            return None, None
        bets = [(difference, BLOCK_SCALE) for blocks, _ in found for difference in blocks]
        sequence, level, ends = Symmetric(bets), self.level(case, BY_BLOCKS), []
        for sign in (1, -1):
            marks = [theta + sign * PROCESS for theta in self.landmarks]
            end = sequence.end(level, marks, sign)
            ends.append(None if end is None else end - sign * PROCESS)
        return ends

    def overran(self, pair, places, case, blocks):
        """For the overruns of these of a pair on the case: a block in which the other one took its mean."""
        means = [math.fsum(of) / len(blocks) for of in zip(*blocks, strict=True)]
        for place in places:
            known = self.overruns.get(pair[place])
            if known and known[0] == case:
                yield tuple(known[2] if own == place else means[own] for own in (0, 1))

    def total(self, found, pair, places):
        """The logarithm of the ratio of the total times, with its standard error; of the overruns, those of these of the
        pair count."""
        if self.evidence.is_set:
            logs = [comparison.difference() for comparison in found]
            error = stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
            return mean(logs), error
        logs, variance = [], 0.0
        for case in found[0].blocks:
            blocks = [totals for c in found for totals in c.blocks[case].values()]
            blocks += list(self.overran(pair, places, case, blocks))
            logs.append(log_ratio(blocks))
            count, ratio = len(blocks), math.exp(logs[-1])
            if count == 1:
                variance = math.inf
                continue
            of_a = math.fsum(a for a, _ in blocks)
            residuals = math.fsum((a - ratio * b) ** 2 for a, b in blocks)
            variance += count / (count - 1) * residuals / of_a**2
        return mean(logs), math.sqrt(variance) / len(logs)

    def rows(self, by_case):
        """All verdicts, by pair and case."""
        overall = {pair: self.direct(pair, None) for pair in self.pairs}
        add_implied(overall, self.near)
        found = {(a, b, None): row for (a, b), row in overall.items()}
        for case in self.claims.by_case if by_case else []:
            found |= {(*pair, case): self.direct(pair, case) for pair in self.pairs}
        return {scope: self.held_against_means(*scope, row) for scope, row in found.items()}

    def log_mean(self, variant, case):
        """The logarithm of the mean time of a call, over all replicas that count; `None` if there is none."""
        taken = [replica.samples.get((variant, case)) for replica in self.replicas]
        taken = [samples for samples in taken if samples and samples.calls]
        if not taken:
            return None
        total = math.fsum(ns for samples in taken for ns in samples.totals.values())
        calls = sum(samples.calls for samples in taken)
        on, more, least = self.overruns.get(variant, (None, 0, 0))
        if on == case:
            total, calls = total + least, calls + more
        return math.log(total / calls)

    def held_against_means(self, a, b, case, row):
        """The row, without a sure verdict that the mean times say the opposite of."""
        cases = self.evidence.timed if case is None else [case]
        logs = [self.log_mean(variant, one) for one in cases for variant in (a, b)]
        if self.evidence.is_set or None in logs:
            return row
        says = mean(of_a - of_b for of_a, of_b in zip(logs[::2], logs[1::2]))
        if row["verdict"] == "beats" and says > 0:
            given = {"high": max(row["high"], says)}
        elif row["verdict"] == "beaten" and says < 0:
            given = {"low": min(row["low"], says)}
        else:
            return row
        return inside(row | given | {"verdict": "no-call"}, self.near)


def holding(ends, lowest, highest):
    """The ends moved out to hold two standard errors of the total."""
    low, high = ends
    low = None if low is None else min(low, lowest)
    high = None if high is None else max(high, highest)
    return tuple(end if end is not None and math.isfinite(end) else None for end in (low, high))


def add_implied(rows, near):
    """Gives open pairs the verdict that follows from others."""
    names = sorted({name for pair in rows for name in pair})
    ends = {}
    for (a, b), row in rows.items():
        if row["verdict"] == "beats":
            ends[a, b] = row["high"]
        elif row["verdict"] == "beaten":
            ends[b, a] = -row["low"]
    for middle in names:
        for a in names:
            for b in names:
                if (a, middle) in ends and (middle, b) in ends:
                    end = ends[a, middle] + ends[middle, b]
                    ends[a, b] = min(ends.get((a, b), math.inf), end)
    for (a, b), row in rows.items():
        if row["verdict"] != "no-call" or ((a, b) in ends) == ((b, a) in ends):
            continue
        if (a, b) in ends and (row["value"] or 0.0) <= 0:
            known = math.inf if row["high"] is None else row["high"]
            given = {"verdict": "beats", "high": min(known, outwards(ends[a, b]))}
        elif (b, a) in ends and (row["value"] or 0.0) >= 0:
            known = -math.inf if row["low"] is None else row["low"]
            given = {"verdict": "beaten", "low": max(known, -outwards(ends[b, a]))}
        else:
            continue
        rows[a, b] = inside(row | given, near)


def outwards(end):
    """The next multiple of the grid from an upper end on."""
    return math.ceil(end / GRID - 1e-6) * GRID
