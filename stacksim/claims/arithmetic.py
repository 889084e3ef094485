"""Contradictions: numbers of one claim that do not agree, whatever was measured.

The tolerance is the rounding or truncation of the digits: each number lies between its ends, and
numbers agree if some values between all ends do, or differ by no more than numbers of one run always may.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.engine.units.text import number_text
from stacksim.claims.amounts import amount_beside, apart, said
from stacksim.claims.claim import Claim, Number, OtherSide
from stacksim.claims.number import WIDEST
from stacksim.claims.relations import PARTS, RELATIONS, Numbers, Solved, comparable, derived, ways

SAME_RUN = 0.01
"""Relative difference between honest numbers of one run beyond rounding (assumed): rates are sampled separately,
and the time of a job has a beginning and an end. 1024 taken for a thousand is more than twice that."""

MEANS = 0.05
"""Tolerance of Little's law, which is about means. The plain mean over jobs, the slowest 1.56 times as slow as the
fastest, is at most 5 % too high: (1 + 1.56)² / (4 · 1.56) = 1.05, by Kantorovich's inequality. If jobs end
a tenth apart, their mean number is 5 % less than is said. Of 189 published runs none is off by more."""

MOST_ODD = 2
"""Largest number of suspects for the number that is off: if there are more, none is named."""


@dataclass(frozen=True)
class Check:
    """A number of a claim, compared with its value computed from other numbers of the claim.

    Attributes:
        total: the name of the number.
        computed: its value by the others.
        said: its value in the claim.
        names: names of all numbers compared.
        numbers: all of the same side, as ``comparable`` returns them; empty for a ratio.
    """

    total: str
    computed: Solved
    said: Number
    names: frozenset[str]
    numbers: Numbers = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """Distance of both values beyond rounding, as a logarithm; 0 if they agree."""
        return max(0.0, *(_log(low / high) for low, high in self._ends if high > 0.0))

    @property
    def _ends(self) -> tuple[tuple[float, float], ...]:
        computed, given = self.computed, self.said
        return ((computed.low, given.most), (given.low, computed.high))

    @property
    def agrees(self) -> bool:
        """True if both values agree within the tolerance of numbers of one run."""
        return self.gap <= math.log1p(self._slack)

    @property
    def _slack(self) -> float:
        return MEANS if self.total == "requests_in_flight" else SAME_RUN

    @property
    def odd(self) -> frozenset[str]:
        """Numbers whose removal makes all others agree; empty if there are more than ``MOST_ODD``."""
        suspects = frozenset(name for name in self.names & self.numbers.keys() if _agree(self.numbers, name))
        return suspects if len(suspects) <= MOST_ODD else frozenset()

    @property
    def factor(self) -> float:
        """The number in the claim divided by the computed one."""
        return self.said.value / self.computed.value

    @property
    def words(self) -> str:
        """The arithmetic in one line."""
        counted = " requests in flight" if self.total == "requests_in_flight" else ""
        given, is_ratio = said(self.said), self.total == "ratio"
        computed = f"{self.computed.words} = {amount_beside(self.computed.value, self.computed.unit, self.said)}"
        computed += counted
        if is_ratio and given.endswith("%"):
            change = 100.0 * self.computed.value - 100.0
            computed += f", that is {'+' if change > 0.0 else ''}{number_text(change)} %"
        if self.agrees and (bound := self._bound):
            return f"{self.computed.words} = {bound}{counted}; {given} is said, which that does not exclude"
        if self.agrees:
            return f"{computed}; {given} is said, which agrees within rounding{self._open}"
        parts = next((name for name in PARTS if name in self.numbers), "parts")
        odd = " or ".join(sorted({"parts": parts}.get(name, name).replace("_", " ") for name in self.odd))
        others = f"; the others agree, it is {odd} that is off" if odd else ""
        by = "" if is_ratio else f" ({apart(self.factor)})"
        return f"{computed}, not {given}{by}{self._open}{'' if is_ratio else others}"

    @property
    def _bound(self) -> str:
        """The one-sided bound in words if another number, such as a percentile, is no mean; empty if all are."""
        low, high = self.computed.low, self.computed.high
        if math.isinf(high):
            return f"at least {amount_beside(low, self.computed.unit, self.said)}"
        return "" if low > 0.0 else f"at most {amount_beside(high, self.computed.unit, self.said)}"

    @property
    def _open(self) -> str:
        """Both ranges in words, where they decide: with other digits the numbers might agree, or not."""
        given, computed = self.said, self.computed
        ends = (given.low, given.most, computed.low, computed.high)
        slack, digits = math.log1p(self._slack), len(self.names) * math.log1p(float(WIDEST))
        if not slack < abs(math.log(self.factor)) <= slack + digits or math.inf in ends or 0.0 in ends:
            return ""
        low, high, least, most = (amount_beside(end, computed.unit, given) for end in ends)
        return f": {low} to {high}, and {least} to {most} by the others"


def checks(claim: Claim) -> tuple[Check, ...]:
    """All comparisons among the numbers of ``claim``, and with those of the other side."""
    own = comparable(claim.numbers)
    comparisons = _within(own)
    if claim.comparison:
        other = comparable(claim.comparison.with_those_of(claim))
        comparisons += _within(other)
        comparisons += _between(claim.comparison, own, other)
    return tuple(comparisons)


def contradiction(claim: Claim) -> Check | None:
    """The comparison with the largest gap; None if all numbers agree, or none can be compared."""
    broken = [check for check in checks(claim) if not check.agrees]
    return max(broken, key=lambda check: check.gap, default=None)


def follows(claim: Claim) -> str | None:
    """A number that follows from those of ``claim`` but is not in it, as text: the first that a relation gives."""
    numbers = comparable(claim.numbers)
    for name in (name for relation in RELATIONS for name in (relation.total, *relation.powers)):
        solved = derived(name, numbers) if name not in (*numbers, "parts") else None
        if solved and solved.low and not math.isinf(solved.high):
            counted = "" if solved.unit else f" {name.replace('_', ' ')}"
            return f"{solved.words}{counted} follow{'s' * bool(solved.unit)} from it"
    return None


def _within(numbers: Numbers) -> list[Check]:
    return [
        Check(
            relation.total,
            relation.solved(relation.total, numbers),
            numbers[relation.total],
            relation.names,
            numbers,
        )
        for relation in RELATIONS
        if relation.known(numbers)
    ]


def _agree(numbers: Numbers, but: str) -> bool:
    """True if ``numbers`` without ``but`` can be compared, and agree."""
    rest = _within({name: number for name, number in numbers.items() if name != but})
    return bool(rest) and all(check.agrees for check in rest)


def _between(comparison: OtherSide, own: Numbers, other: Numbers) -> list[Check]:
    """The stated ratio compared with that of the two numbers, for each way in which either is derived."""
    return [
        Check(
            "ratio",
            Solved(
                mine.low / theirs.high,
                mine.value / theirs.value,
                mine.high / theirs.low,
                "",
                f"{_last(mine)} / {_last(theirs)}",
            ),
            comparison.ratio,
            frozenset({"ratio", comparison.of}),
        )
        for mine in ways(comparison.of, own)
        for theirs in ways(comparison.of, other)
        if theirs.low
    ]


def _last(solved: Solved) -> str:
    return solved.words.rpartition(" = ")[2]


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0.0 else -math.inf
