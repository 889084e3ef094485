"""Cost of greedy garbage collection in flash: pages that are moved for each page that is freed, by history.

A drive writes only to erased blocks. To free one, it picks the block with the fewest valid pages, moves these, and
erases it: of a block with a share v of valid pages v / (1 − v) are moved for each page freed, and for each page of
a user 1 / (1 − v) are programmed, the *write amplification*.

Writes spread evenly over U pages leave a page valid with probability exp(−R / U) after R of them. Large blocks
keep to this mean, so that the block with the fewest valid pages is the oldest. In the long run P pages, all but
those of erased blocks, are programmed between two erases of a block, (1 − v) P of them for users, so that

    v = exp(−α (1 − v)),   α = P / U,   1 / (1 − v) = α / (α + W(−α exp(−α)))                        (1)

with Lambert's W (Desnoyers, SYSTOR 2012). Smaller blocks differ by chance, and the best is better than the oldest:
with 64 pages in a block and α = 1.28, write amplification is 4 % below (1) (tests/models/parts/flash).

Before, it depends on what lies in the oldest blocks: with R(p) writes of users in the first p pages programmed,

    v(p) = v₀(p − P) exp(−(R(p) − R(p − P)) / U),   dR / dp = 1 − v                                   (2)

where v₀ is the share valid in the beginning of what lies there. A writer in runs frees whole blocks.
"""

from __future__ import annotations

import math
from typing import NamedTuple

FRESH, SEQUENTIAL, RANDOM = "fresh", "sequential", "random"
"""Histories: erased; the used part written once in order; written at random until nothing changes."""

PARTS = 500
"""Steps of the integration for each time that the drive is filled."""

FILLS = 12
"""Times that the drive is filled, within which its history is forgotten."""

SETTLED = 0.01
"""Share by which the moved pages may differ from those of the long run."""

STAGES = 8
"""Parts, in equal numbers of pages written, into which the time before is divided."""


class Stage(NamedTuple):
    """Pages of users until the stage ends, infinite for the last, and pages moved for each page freed in it."""

    until: float
    moved: float


def lasting_validity(alpha: float) -> float:
    """Share of valid pages in a block that is cleaned, in the long run, by (1)."""
    from scipy.special import lambertw  # lazily: it takes long to import

    return float(-lambertw(-alpha * math.exp(-alpha)).real / alpha)


def write_amplification(alpha: float) -> float:
    """Pages programmed for each page of a user, in the long run, by (1)."""
    return 1.0 / (1.0 - lasting_validity(alpha))


def stages(pages: int, used: int, history: str, *, sequential: bool) -> tuple[Stage, ...]:
    """Stages from the first cleaning on, with the mean cost in each.

    Args:
        pages: physical pages besides the reserve.
        used: pages that users address.
        history: state of the drive in the beginning.
        sequential: True if users write in runs over all that they use, else at random.
    """
    validity = _validity(pages / used, history, sequential=sequential)
    costs = [each / (1.0 - each) for each in validity]
    written = [(1.0 - each) * pages / PARTS for each in validity]
    last = 0.0 if sequential else write_amplification(pages / used) - 1.0
    unsettled = [row for row, cost in enumerate(costs) if abs(cost - last) > SETTLED * (1.0 + last)]
    end = max(unsettled, default=-1) + 1
    length, made, moved = sum(written[:end]) / STAGES, list[Stage](), 0.0
    passed = begun = 0.0
    for cost, grown in zip(costs[:end], written[:end], strict=True):
        passed, moved = passed + grown, moved + cost * grown
        if passed >= length * (len(made) + 1) * (1.0 - 1e-9):
            made.append(Stage(passed, moved / (passed - begun)))
            begun, moved = passed, 0.0
    return (*made, Stage(math.inf, last))


def _validity(alpha: float, history: str, *, sequential: bool) -> list[float]:
    """Valid share of the oldest block while the drive is filled ``FILLS`` times, after its first cleaning, by (2).

    Pages are counted in units of U.
    """
    step = alpha / PARTS
    steady = lasting_validity(alpha)
    filled = PARTS if history == RANDOM else round(PARTS / alpha) if history == SEQUENTIAL else 0
    # By physical page in order of programming: writes of users before it, and its share still valid at time 0.
    before, valid = [0.0] * filled, [1.0] * filled
    if history == RANDOM:
        valid = [math.exp(-(1.0 - steady) * (PARTS - row) * step) for row in range(filled)]
    written = 0.0
    found = []
    for row in range((FILLS + 1) * PARTS):
        if row + filled >= PARTS:
            oldest = row + filled - PARTS
            since = written - before[oldest]
            if not sequential:
                share = valid[oldest] * math.exp(-since)
            elif history == RANDOM and oldest < filled:
                share = valid[oldest] * max(0.0, 1.0 - since)
            else:
                share = 0.0  # overwritten in the order in which it was written
            found.append(share)
        else:
            share = 0.0
        before.append(written)
        valid.append(1.0)
        written += (1.0 - share) * step
    return found[: FILLS * PARTS]
