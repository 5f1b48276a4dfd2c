"""Verdicts by readings other than the time of a call, as docs/verdicts.md defines them."""

import math
from itertools import combinations
from statistics import median

from sequences import BoundedMean, Sign, Symmetric, capital, hodges_lehmann, scaled
from verdicts import Claims, ratio_row

BUILD_CLOCK_NS = 1000.0


def paired(rounds, a, b, clock_ns, level, near):
    """The verdict about two times that each round has once."""
    found = [(r[a], r[b]) for r in rounds if (r.get(a) or 0) > 0 and (r.get(b) or 0) > 0]
    differences = [math.log(x) - math.log(y) for x, y in found]
    bets = scaled(differences, [clock_ns / x + clock_ns / y for x, y in found], None)
    sequence, landmarks = Symmetric(bets, len(found) - len(bets)), (0.0, -near, near)
    ends = tuple(sequence.end(level, landmarks, sign) for sign in (1, -1))
    shown = hodges_lehmann(differences) if differences else None
    return ratio_row(shown, ends, near, len(found))


def cold_starts(race):
    evidence, calls = race.evidence, race.evidence.first_calls()
    rounds = [calls[replica.number] for replica in race.replicas]
    level = race.claims.level(len(evidence.raced))
    near = math.log1p(evidence.report["protocol"]["practical"])
    clock_ns = evidence.pilot["clock_ns"]
    return {(a, b): paired(rounds, a, b, clock_ns, level, near) for a, b in race.pairs}


def build_times(evidence):
    rounds = sorted(evidence.results["build-round"], key=lambda row: row["iteration"])
    if not rounds:
        return {}
    prototypes = [build["variants"] for build in rounds[0]["value"]["builds"]]
    times = [
        {place: build["cpu_ns"] for place, build in enumerate(row["value"]["builds"])}
        for row in rounds
    ]
    level = Claims(evidence).level(len(prototypes))
    near = math.log1p(evidence.report["protocol"]["practical"])
    found = {}
    for x, y in combinations(range(len(prototypes)), 2):
        row = paired(times, x, y, BUILD_CLOCK_NS, level, near)
        found |= {(a, b): row for a in prototypes[x] for b in prototypes[y]}
    for names in prototypes:
        found |= {pair: tie(0) for pair in combinations(names, 2)}
    return {pair: row for pair, row in found.items() if set(pair) <= set(evidence.alive)}


def tie(count):
    return {
        "verdict": "tie", "below_threshold": False, "count": count,
        "value": 0.0, "low": 0.0, "high": 0.0,
    }  # fmt: skip


def qualities(evidence, criterion):
    """The verdicts by one name that `assess` gives, or by one criterion of an evaluator."""
    if criterion["source"].startswith("evaluator:"):
        if criterion.get("exact", False):
            return {}
        assessed, name = evaluated(evidence, criterion["source"])
    else:
        name = criterion["source"].removeprefix("assess:")
        assessed = {row["variant"]: row["value"] for row in evidence.results["assessment"]}
    level = Claims(evidence).level(len(assessed))
    alive = [variant for variant in evidence.alive if variant in assessed]
    same = dict(evidence.duplicates())
    found = {}
    for a, b in combinations(alive, 2):
        answers = [assessed[variant]["answers"] for variant in (a, b)]
        rounds = [means(list_, name, len(evidence.cases)) for list_ in answers]
        if None in rounds:
            continue
        equal = [one["answer"] for one in answers[0]] == [one["answer"] for one in answers[1]]
        count = min(map(len, rounds))
        exact = same.get(a, a) == same.get(b, b)
        # What bets on a sign would have gained if one were better in every round.
        if exact or equal and capital([1] * count) >= level:
            found[a, b] = tie(count)
        else:
            found[a, b] = quality(*rounds, criterion, level)
    return found


def evaluated(evidence, source):
    """What an evaluator says of each answer, in the form of what `assess` says."""
    evaluator, name = source.removeprefix("evaluator:").split(".")
    found = {}
    for row in evidence.results["evaluation"]:
        if row["value"]["evaluator"] != evaluator:
            continue
        outcomes = {one["criterion"]: one["outcome"] for one in row["value"]["results"]}
        values = outcomes.get(name, {}).get("answers", {}).get("values")
        numbers = [[[name, value]] for value in values] if values else []
        answers = row["value"]["answers"]
        numbers += [[]] * (len(answers) - len(numbers))
        listed = [one | {"numbers": given} for one, given in zip(answers, numbers)]
        found[row["variant"]] = {"answers": listed}
    return found, name


def means(answers, name, cases):
    """The mean of a number over the cases of each round."""
    numbers = [dict(answer["numbers"]).get(name) for answer in answers]
    if None in numbers:
        return None
    rounds = [numbers[at : at + cases] for at in range(0, len(numbers), cases)]
    return [sum(values) / len(values) for values in rounds]


def quality(of_a, of_b, criterion, level):
    differences = [a - b for a, b in zip(of_a, of_b)]
    row = {"verdict": "no-call", "below_threshold": False, "count": len(differences)}
    row |= {"value": None, "low": None, "high": None}
    scale = criterion["scale"]
    if "linear" in scale:
        low, high = scale["linear"]["low"], scale["linear"]["high"]
        if not all(low <= value <= high for value in of_a + of_b):
            return row
        bets, value = BoundedMean(differences, high - low), sum(differences) / len(differences)
    else:
        bets, value = Sign(differences), median(differences)
    above, below = (bets.evidence(0.0, sign) >= level for sign in (1, -1))
    if above != below:
        better = above == (criterion["direction"] == "higher-is-better")
        row["verdict"] = "beats" if better else "beaten"
    low, high = bets.ends(level)
    return row | {"value": value, "low": low, "high": high}
