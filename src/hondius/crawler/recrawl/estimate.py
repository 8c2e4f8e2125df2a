"""How often a page changes: changes a day, estimated from visits at irregular times (R1).

Changes are a Poisson process of unknown rate L. A visit t after the one before sees a change with probability
1 - exp(-L t), however many changes there were. The most likely rate is the root of

    sum over intervals with a change of  t / (exp(L t) - 1)  =  sum over intervals without a change of  t.

The ratio of changes to visited time, which is the obvious estimate, is too low: several changes in one interval count
once. The root alone is infinite if every visit saw a change, and zero if none did. So two imaginary visits stand before
the real ones, one with a change and one without. Their intervals are such that they alone give the rate that is
expected of a page of this class (`classes.py`).
"""

from math import exp, expm1, log

from hondius.crawler.recrawl.history import History

DAY = 86_400.0
SLOWEST, FASTEST = 1 / (5 * 365.0), 24 * 60.0
"""Changes a day: once in five years, and once a minute."""
PRIOR_VISITS = 0.5
"""How much each of the two imaginary visits counts."""
_STEPS = 60
_NEAR = 1e-6


def estimate_rate(history: History, expected: float) -> float:
    """Changes a day. `expected`: the rate of a page of which nothing else is known."""
    expected = min(max(expected, SLOWEST), FASTEST)
    imaginary = log(2.0) / expected
    quiet = history.unchanged / DAY + PRIOR_VISITS * imaginary
    changed = [(mean / DAY, count) for mean, count in history.changed] + [(imaginary, PRIOR_VISITS)]
    return _find_root(changed, quiet)


def _find_root(changed: list[tuple[float, float]], quiet: float) -> float:
    """Bisection on a logarithmic scale: the left side falls as the rate rises."""
    low, high = log(SLOWEST), log(FASTEST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        rate = exp(middle)
        seen = 0.0
        for interval, count in changed:
            exponent = rate * interval
            if exponent < 700.0:
                seen += count * interval / expm1(exponent)
        if seen > quiet:
            low = middle
        else:
            high = middle
        if high - low < _NEAR:
            break
    return exp((low + high) / 2)
