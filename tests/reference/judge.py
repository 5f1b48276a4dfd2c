"""Works every verdict of `bakeoff judge` out again, and holds it against what its report says.

    python3 tests/reference/judge.py ROWS.csv REPORT.json

ROWS.csv is what was judged (CSV or JSON lines), REPORT.json what `--format json` wrote. Written from docs/judging.md
and docs/verdicts.md, without a line of the product. Ends with status 1 if a verdict differs.
"""

import csv
import json
import math
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from statistics import median

from evidence import mean
from sequences import GRID, HALVINGS, BoundedMean, Symmetric, scaled
from verdicts import add_implied, have_crossed, inner, inside, ratio_row

BY_BLOCKS_SINGLY, BY_OBVIOUS_BLOCKS = 0.7, 0.3
OVER_ALL_CASES, BY_CASE = 0.8, 0.2
OBVIOUS, OBVIOUS_SCALE, OBVIOUS_BLOCKS = math.log(1.5), 0.1, (2, 8)
FIRST_BITS = 40
TOLERANCE = 1e-9


class Rows:
    """The values of a file: by variant, case and block, each the mean of all that were given for it."""

    def __init__(self, path, is_rate):
        text = Path(path).read_text(encoding="utf-8-sig")
        is_lines_of_json = text.lstrip().startswith("{")
        rows = list(map(json.loads, filter(str.strip, text.splitlines()))) if is_lines_of_json else table(text)
        given, turns, variants, cases, blocks = defaultdict(list), Counter(), {}, {}, {}
        for row in rows:
            variant, case, value = str(row["variant"]), str(row.get("case", "")), float(row["value"])
            # Without blocks, the first values of all variants are taken together, then the second ones.
            block = str(row["block"]) if "block" in row else str(turns[variant, case])
            turns[variant, case] += 1
            for names, name in ((variants, variant), (cases, case), (blocks, block)):
                names[name] = True
            given[variant, case, block].append(value)
        # Each in the order in which it is met.
        self.variants, self.cases, self.blocks = list(variants), list(cases), list(blocks)
        self.values = {place: mean(values) for place, values in given.items()}
        self.first, self.is_rate = {}, is_rate
        for (_, case, _), value in self.values.items():
            self.first.setdefault(case, value)

    def totals(self):
        """T of every value: a whole number in a unit that follows from the first value on its case."""
        units = {case: FIRST_BITS - math.floor(math.log2(self.time(first))) for case, first in self.first.items()}
        return {place: round(math.ldexp(self.time(value), units[place[1]])) for place, value in self.values.items()}

    def time(self, value):
        """The value, or of a rate the time of one."""
        return 1 / value if self.is_rate else value


def table(text):
    """The rows of a CSV file, whichever of three signs separates its columns."""
    heading = text.split("\n", 1)[0]
    separator = max(",;\t", key=heading.count)
    return list(csv.DictReader(text.splitlines(), delimiter=separator))


class Ratios:
    """The comparisons of all pairs by the ratio of their totals. All that is kept here is logarithms."""

    def __init__(self, rows, report):
        self.rows, self.totals = rows, rows.totals()
        self.near = math.log1p(report["practical"])
        self.alpha = 1 - report["confidence"]

    def level(self, case, share):
        """The logarithm of the evidence that a claim of this share of α needs."""
        count, cases = len(self.rows.variants), len(self.rows.cases)
        scope = 1.0 if cases == 1 else OVER_ALL_CASES if case is None else BY_CASE / cases
        return math.log(count * (count - 1) / (self.alpha * share * scope))

    def blocks(self, pair, cases):
        """The blocks in which both of a pair have every one of the cases: a list of both totals by case."""
        found = []
        for block in self.rows.blocks:
            places = [[(variant, case, block) for variant in pair] for case in cases]
            if all(place in self.totals for both in places for place in both):
                found.append([tuple(self.totals[place] for place in both) for both in places])
        return found

    def direct(self, pair, case):
        """The verdict about a pair that its own differences give."""
        blocks = self.blocks(pair, self.rows.cases if case is None else [case])
        if not blocks:
            return ratio_row(None, (None, None), self.near, 0) | {"typical": None}
        differences = [mean(math.log(a / b) for a, b in block) for block in blocks]
        ends = self.ends(differences, case)
        crossed = have_crossed(ends)
        low, high = reversed(ends) if crossed else ends
        total, error = total_ratio(blocks)
        low = held(low, total - 2 * error, min)
        high = held(high, total + 2 * error, max)
        row = ratio_row(total, (low, high), self.near, len(blocks), crossed)
        typical = median(differences)
        outside = row["low"] is not None and typical < row["low"]
        outside |= row["high"] is not None and typical > row["high"]
        is_shown = outside and abs(typical - row["value"]) > self.near
        return row | {"typical": typical if is_shown else None}

    def ends(self, differences, case):
        """Both ends of the interval that no bet has rejected, by single blocks and by obvious ones."""
        bets = scaled(differences, [0.0] * len(differences), None)
        sequence = Symmetric(bets, len(differences) - len(bets))
        landmarks, level = (0.0, -self.near, self.near), self.level(case, BY_BLOCKS_SINGLY)
        by_block = [sequence.end(level, landmarks, sign) for sign in (1, -1)]
        least, most = OBVIOUS_BLOCKS
        early = differences[:most]
        obvious = all(value > OBVIOUS for value in early) or all(value < -OBVIOUS for value in early)
        if len(early) < least or not obvious:
            return by_block
        sequence, level = Symmetric([(value, OBVIOUS_SCALE) for value in early]), self.level(case, BY_OBVIOUS_BLOCKS)
        ends = []
        for sign in (1, -1):
            end = sequence.end(level, [mark + sign * OBVIOUS for mark in landmarks], sign)
            ends.append(None if end is None else end - sign * OBVIOUS)
        return [inner(by_block[0], ends[0], max), inner(by_block[1], ends[1], min)]

    def by_means(self, pair, case):
        """M: the logarithm of the ratio of the means of all values, whether the other one has the block or not."""
        logarithms = []
        for one in self.rows.cases if case is None else [case]:
            means = []
            for variant in pair:
                taken = [total for (name, on, _), total in self.totals.items() if (name, on) == (variant, one)]
                if not taken:
                    return None
                means.append(mean(taken))
            logarithms.append(math.log(means[0] / means[1]))
        return mean(logarithms)

    def held_against_means(self, pair, case, row):
        """The row, without a sure verdict that the means of all values say the opposite of."""
        says = self.by_means(pair, case)
        if row["verdict"] == "beats" and says is not None and says > 0:
            row = row | {"high": max(row["high"], says), "verdict": "no-call"}
        elif row["verdict"] == "beaten" and says is not None and says < 0:
            row = row | {"low": min(row["low"], says), "verdict": "no-call"}
        else:
            return row
        return inside(row, self.near)

    def verdicts(self):
        """Every verdict, by pair and case."""
        pairs = list(combinations(self.rows.variants, 2))
        overall = {pair: self.direct(pair, None) for pair in pairs}
        add_implied(overall, self.near)
        found = {(*pair, None): row for pair, row in overall.items()}
        if len(self.rows.cases) > 1:
            found |= {(*pair, case): self.direct(pair, case) for case in self.rows.cases for pair in pairs}
        return {name: self.shown(self.held_against_means(name[:2], name[2], row)) for name, row in found.items()}

    def shown(self, row):
        """The row with ratios of values in the place of logarithms of times."""
        sign = -1 if self.rows.is_rate else 1
        ends = [row["low"], row["high"]][::sign]
        numbers = {"value": row["value"], "low": ends[0], "high": ends[1], "typical": row["typical"]}
        return row | {key: None if log is None else math.exp(sign * log) for key, log in numbers.items()}


def held(end, outermost, outer):
    """An end moved out to two standard errors of the total; unknown if these are infinite."""
    end = None if end is None else outer(end, outermost)
    return end if end is not None and math.isfinite(end) else None


def total_ratio(blocks):
    """The logarithm of the ratio of the totals, as a mean over the cases, with its standard error."""
    logarithms, variance, count = [], 0.0, len(blocks)
    for both in zip(*blocks, strict=True):
        of_a, of_b = map(math.fsum, zip(*both, strict=True))
        ratio = of_a / of_b
        logarithms.append(math.log(ratio))
        residuals = math.fsum((a - ratio * b) ** 2 for a, b in both)
        variance += math.inf if count == 1 else count / (count - 1) * residuals / of_a**2
    return mean(logarithms), math.sqrt(variance) / len(logarithms)


def by_range(rows, report):
    """Every verdict about means of values in a declared range, by pair and case."""
    scale, count = report["quantity"]["scale"], len(rows.variants)
    width, found = scale["high"] - scale["low"], {}
    level = math.log(count * (count - 1) / (1 - report["confidence"]))
    for pair in combinations(rows.variants, 2):
        differences = []
        for block in rows.blocks:
            of_both = [[rows.values.get((variant, case, block)) for case in rows.cases] for variant in pair]
            if not any(None in values for values in of_both):
                differences.append(mean(of_both[0]) - mean(of_both[1]))
        bets = BoundedMean(differences, width)
        above, below = (bool(differences) and bets.evidence(0.0, sign) >= level for sign in (1, -1))
        is_better = above == (report["quantity"]["direction"] == "higher-is-better")
        verdict = "no-call" if above == below else "beats" if is_better else "beaten"
        low, high = bets.ends(level) if differences else (None, None)
        value = mean(differences) if differences else None
        if None not in (value, low, high):
            is_held = low <= high and low <= value <= high
            verdict = verdict if is_held else "no-call"
            low, high = min(low, high, value), max(low, high, value)
        row = {"verdict": verdict, "below_threshold": False, "count": len(differences), "typical": None}
        found[(*pair, None)] = row | {"value": value, "low": low, "high": high}
    return found


def differing(said, own, allowed):
    """The names of what is not the same in a verdict of the report and the own one."""
    words = [key for key in ("verdict", "below_threshold") if said[key] != own[key]]
    words += ["blocks"] if said["blocks"] != own["count"] else []
    for key in ("value", "low", "high", "typical"):
        kept, found = said.get(key), own[key]
        if (kept is None) != (found is None):
            words.append(key)
        elif kept is not None and abs(kept - found) > allowed(key, found):
            words.append(key)
    return words


def main(path, report):
    report = json.loads(Path(report).read_text(encoding="utf-8"))
    is_ratio = report["quantity"]["scale"]["kind"] == "ratio"
    rows = Rows(path, is_ratio and report["quantity"]["direction"] == "higher-is-better")
    own, wrong = Ratios(rows, report).verdicts() if is_ratio else by_range(rows, report), 0
    step = GRID if is_ratio else 2 / 2**HALVINGS

    def allowed(key, found):
        return TOLERANCE * abs(found) + (step * max(1.0, abs(found)) if key in ("low", "high") else 0.0)

    said = {(row["a"], row["b"], row["case"]): row for row in report["verdicts"]}
    for name in sorted(said.keys() | own.keys(), key=str):
        if name not in said or name not in own or (words := differing(said[name], own[name], allowed)):
            words = words if name in said and name in own else ["only one has it"]
            print(f"{name}: {', '.join(words)}\n  report:    {said.get(name)}\n  reference: {own.get(name)}")
            wrong += 1
    print(f"{len(own)} verdicts, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
