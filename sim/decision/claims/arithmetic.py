"""Contradictions: numbers of one claim that do not agree, whatever was measured.

The tolerance is what the rounding of the digits leaves open: each number is somewhere between its ends, and
numbers agree if some values between all ends do, or miss each other by what those of one run do in any case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.decision.claims.amounts import amount, said, times
from sim.decision.claims.claim import Claim, Number, OtherSide
from sim.decision.claims.relations import RELATIONS, Numbers, Solved, comparable, derived
from sim.units.text import number_text

SAME_RUN = 0.01
"""Share by which honest numbers of one run miss each other beyond rounding (assumed): fio cuts off what it prints,
its latencies do not hold all of the submission, and the time of a job has a beginning and an end. 1024 taken for a
thousand is more than twice that."""


@dataclass(frozen=True)
class Check:
    """A number that was said, and the same as others have it.

    Attributes:
        total: the name of the number.
        computed: as the others have it.
        said: as the claim has it.
        names: of all that were compared.
    """

    total: str
    computed: Solved
    said: Number
    names: frozenset[str]

    @property
    def gap(self) -> float:
        """How far apart they are beyond rounding: a logarithm, 0 if they agree."""
        return max(0.0, *(_log(low / high) for low, high in self._ends if high > 0.0))

    @property
    def _ends(self) -> tuple[tuple[float, float], ...]:
        computed, given = self.computed, self.said
        return ((computed.low, given.high), (given.low, computed.high))

    @property
    def agrees(self) -> bool:
        """Whether they do within rounding."""
        return self.gap <= math.log1p(SAME_RUN)

    @property
    def factor(self) -> float:
        """The number that was said over the computed one."""
        return self.said.value / self.computed.value

    @property
    def words(self) -> str:
        """The arithmetic in one line."""
        counted = " requests in flight" if self.total == "requests_in_flight" else ""
        given, is_ratio = said(self.said), self.total == "ratio"
        computed = f"{self.computed.words} = {amount(self.computed.value, self.computed.unit)}{counted}"
        if is_ratio and given.endswith("%"):
            change = 100.0 * self.computed.value - 100.0
            computed += f", that is {'+' if change > 0.0 else ''}{number_text(change)} %"
        if self.agrees:
            return f"{computed}; {given} is said, which agrees within rounding{self._open}"
        return f"{computed}, not {given}" + ("" if is_ratio else f" ({times(self.factor)})")

    @property
    def _open(self) -> str:
        """Between which ends both are, where only rounding lets them agree."""
        given, computed = self.said, self.computed
        ends = (given.low, given.high, computed.low, computed.high)
        if abs(math.log(self.factor)) <= math.log1p(SAME_RUN) or math.inf in ends or 0.0 in ends:
            return ""
        low, high, least, most = (amount(end, computed.unit) for end in ends)
        return f": {low} to {high}, and {least} to {most} by the others"


def checks(claim: Claim) -> tuple[Check, ...]:
    """All that can be compared among the numbers of ``claim``, and of what it is compared with."""
    own = comparable(claim.numbers)
    found = _within(own)
    if claim.comparison:
        other = comparable(claim.comparison.numbers)
        found += _within(other)
        found += _between(claim.comparison, own, other)
    return tuple(found)


def contradiction(claim: Claim) -> Check | None:
    """The numbers that are furthest from agreeing; None if all agree, or none can be compared."""
    broken = [check for check in checks(claim) if not check.agrees]
    return max(broken, key=lambda check: check.gap, default=None)


def _within(numbers: Numbers) -> list[Check]:
    return [
        Check(
            relation.total,
            relation.solved(relation.total, numbers),
            numbers[relation.total],
            frozenset({relation.total, *relation.powers}),
        )
        for relation in RELATIONS
        if relation.known(numbers)
    ]


def _between(comparison: OtherSide, own: Numbers, other: Numbers) -> list[Check]:
    """The ratio that is said, and that of the two numbers themselves."""
    mine, theirs = derived(comparison.of, own), derived(comparison.of, other)
    if mine is None or theirs is None or not theirs.low:
        return []
    words = f"{_last(mine)} / {_last(theirs)}"
    ratio = Solved(mine.low / theirs.high, mine.value / theirs.value, mine.high / theirs.low, "", words)
    return [Check("ratio", ratio, comparison.ratio, frozenset({"ratio", comparison.of}))]


def _last(solved: Solved) -> str:
    return solved.words.rpartition(" = ")[2]


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0.0 else -math.inf
