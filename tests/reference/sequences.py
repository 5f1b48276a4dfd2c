"""What follows from a sequence of differences, as docs/verdicts.md defines it.

Nothing here knows of variants or files: numbers go in, the ends of an interval come out. An end is
`None` while it is not known.
"""

import math
from statistics import median

GRID = 2.0**-17
RATES = [0.15 * 40 ** (i / 13) for i in range(14)]
BETS = [0.01 * 99 ** (i / 13) for i in range(14)]
CLIP = 4.0
LEAST_SCALE = 1e-9
LEAST_DIFFERENCES = 3
HALVINGS = 31


def hodges_lehmann(values):
    """The median of all means of two, each value with itself included."""
    pairs = range(len(values))
    return median(0.5 * (values[i] + values[j]) for i in pairs for j in pairs if i <= j)


def deviation(values):
    """The median absolute deviation as it is, not scaled to that of a normal distribution."""
    middle = median(values)
    return median(abs(value - middle) for value in values)


def scaled(differences, resolutions, first):
    """Each difference that is bet on, with its scale. `resolutions` are the clock's in each replica,
    `first` is the pilot's scale for the first two, `None` if it gives none."""
    bets = []
    for n, (difference, resolution) in enumerate(zip(differences, resolutions, strict=True)):
        if n < 2 and first is None:
            continue
        scale = first if n < 2 else deviation(differences[:n])
        bets.append((difference, max(LEAST_SCALE, scale, resolution)))
    return bets


class Symmetric:
    """Bets that differences, each with its scale, are symmetric around a value; `skipped` more came
    before them."""

    def __init__(self, bets, skipped=0):
        self.bets, self.count = bets, len(bets) + skipped

    def evidence(self, theta, sign):
        """The largest evidence so far, as a logarithm, that the effect is above `theta` (`sign` 1) or
        below it (−1)."""
        wealth, best = [0.0] * len(RATES), 0.0
        for difference, scale in self.bets:
            z = sign * max(-CLIP, min(CLIP, (difference - theta) / scale))
            for i, rate in enumerate(RATES):
                # The logarithm of e^{λz} / cosh λz.
                wealth[i] += math.log(2) - math.log1p(math.exp(-2 * rate * z))
            highest = max(wealth)
            mean = sum(math.exp(value - highest) for value in wealth) / len(wealth)
            best = max(best, highest + math.log(mean))
        return best

    def end(self, level, landmarks, sign):
        """The innermost rejected value, of the multiples of the grid and the landmarks: the low end
        (`sign` 1) or the high one."""
        if self.count < LEAST_DIFFERENCES or not self.bets:
            return None

        def rejected(steps):
            return self.evidence(sign * steps * GRID, sign) >= level

        # Below `outer` every difference is clipped, above `inner` none speaks for the effect.
        outer = math.floor(min(sign * d - CLIP * s for d, s in self.bets) / GRID) - 1
        inner = math.ceil(max(sign * d for d, _ in self.bets) / GRID) + 1
        if not rejected(outer):
            return None
        while inner - outer > 1:
            middle = (outer + inner) // 2
            outer, inner = (middle, inner) if rejected(middle) else (outer, middle)
        found = [sign * outer * GRID]
        found += [theta for theta in landmarks if self.evidence(theta, sign) >= level]
        return sign * max(sign * theta for theta in found)


def capital(outcomes):
    """The largest evidence of bets on outcomes from −1 on, as a logarithm."""
    held, best = [1.0] * len(BETS), 1.0
    for outcome in outcomes:
        held = [min(c * (1 + bet * outcome), 1e290) for c, bet in zip(held, BETS, strict=True)]
        best = max(best, sum(held) / len(held))
    return math.log(best)


class BoundedMean:
    """Bets on the mean of differences within ±`width`."""

    def __init__(self, differences, width):
        self.differences, self.width = differences, width

    def evidence(self, theta, sign):
        mean = 0.5 * (sign * theta / self.width + 1)
        if mean <= 0:
            return 0.0
        return capital(0.5 * (sign * d / self.width + 1) / mean - 1 for d in self.differences)

    def ends(self, level):
        return self.end(level, 1), self.end(level, -1)

    def end(self, level, sign):
        def rejected(value):
            return self.evidence(sign * value, sign) >= level

        outer, inner = (0.0, self.width) if rejected(0.0) else (-self.width, 0.0)
        for _ in range(HALVINGS):
            middle = 0.5 * (outer + inner)
            outer, inner = (middle, inner) if rejected(middle) else (outer, middle)
        return sign * outer if outer > -self.width else None


class Sign:
    """Bets that differences lie above a value more often than below it, or the other way round."""

    def __init__(self, differences):
        self.differences = differences

    def evidence(self, theta, sign):
        apart = (sign * (d - theta) for d in self.differences)
        return capital((a > 0) - (a < 0) for a in apart)

    def ends(self, level):
        return self.end(level, 1), self.end(level, -1)

    def end(self, level, sign):
        """The innermost difference of which every value beyond it is rejected."""

        def beyond(end):
            return capital(1 if sign * d >= sign * end else -1 for d in self.differences)

        found = [d for d in self.differences if beyond(d) >= level]
        return sign * max(sign * d for d in found) if found else None
