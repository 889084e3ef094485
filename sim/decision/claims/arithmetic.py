"""Contradictions: numbers of one claim that do not agree, whatever was measured.

The tolerance is what the digits leave open, rounded or cut off: each number is somewhere between its ends, and
numbers agree if some values between all ends do, or miss each other by what those of one run do in any case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.decision.claims.amounts import amount_beside, apart, said
from sim.decision.claims.claim import Claim, Number, OtherSide
from sim.decision.claims.number import WIDEST
from sim.decision.claims.relations import PARTS, RELATIONS, Numbers, Solved, comparable, derived, ways
from sim.units.text import number_text

SAME_RUN = 0.01
"""Share by which honest numbers of one run miss each other beyond their digits (assumed): rates are sampled apart,
and the time of a job has a beginning and an end. 1024 taken for a thousand is more than twice that."""

MEANS = 0.05
"""The same of Little's law, which is one of means. The plain mean of jobs, the slowest 1.56 times as slow as the
fastest, is too high by so much at most: (1 + 1.56)² / (4 · 1.56) = 1.05, by Kantorovich's inequality. Jobs that
end a tenth apart are on average fewer than are said, by as much. Of 189 published runs none is off by more."""

MOST_ODD = 2
"""Numbers of which one is off: of more, none is named."""


@dataclass(frozen=True)
class Check:
    """A number that was said, and the same as others have it.

    Attributes:
        total: the name of the number.
        computed: as the others have it.
        said: as the claim has it.
        names: of all that were compared.
        numbers: all those of the same side, as ``comparable`` makes them; empty of a ratio.
    """

    total: str
    computed: Solved
    said: Number
    names: frozenset[str]
    numbers: Numbers = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """How far apart they are beyond rounding: a logarithm, 0 if they agree."""
        return max(0.0, *(_log(low / high) for low, high in self._ends if high > 0.0))

    @property
    def _ends(self) -> tuple[tuple[float, float], ...]:
        computed, given = self.computed, self.said
        return ((computed.low, given.most), (given.low, computed.high))

    @property
    def agrees(self) -> bool:
        """Whether they do, as far as the digits of one run can."""
        return self.gap <= math.log1p(self._slack)

    @property
    def _slack(self) -> float:
        return MEANS if self.total == "requests_in_flight" else SAME_RUN

    @property
    def odd(self) -> frozenset[str]:
        """The numbers without any one of which all others agree; none where that says nothing."""
        found = frozenset(name for name in self.names & self.numbers.keys() if _agree(self.numbers, name))
        return found if len(found) <= MOST_ODD else frozenset()

    @property
    def factor(self) -> float:
        """The number that was said over the computed one."""
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
        """What the others leave of it where one of them, such as a percentile, is no mean; empty where all are."""
        low, high = self.computed.low, self.computed.high
        if math.isinf(high):
            return f"at least {amount_beside(low, self.computed.unit, self.said)}"
        return "" if low > 0.0 else f"at most {amount_beside(high, self.computed.unit, self.said)}"

    @property
    def _open(self) -> str:
        """Between which ends both are, where these decide: with other digits they might agree, or not."""
        given, computed = self.said, self.computed
        ends = (given.low, given.most, computed.low, computed.high)
        slack, digits = math.log1p(self._slack), len(self.names) * math.log1p(float(WIDEST))
        if not slack < abs(math.log(self.factor)) <= slack + digits or math.inf in ends or 0.0 in ends:
            return ""
        low, high, least, most = (amount_beside(end, computed.unit, given) for end in ends)
        return f": {low} to {high}, and {least} to {most} by the others"


def checks(claim: Claim) -> tuple[Check, ...]:
    """All that can be compared among the numbers of ``claim``, and of what it is compared with."""
    own = comparable(claim.numbers)
    found = _within(own)
    if claim.comparison:
        other = comparable(claim.comparison.with_those_of(claim))
        found += _within(other)
        found += _between(claim.comparison, own, other)
    return tuple(found)


def contradiction(claim: Claim) -> Check | None:
    """The numbers that are furthest from agreeing; None if all agree, or none can be compared."""
    broken = [check for check in checks(claim) if not check.agrees]
    return max(broken, key=lambda check: check.gap, default=None)


def follows(claim: Claim) -> str | None:
    """What the numbers of ``claim`` say that it does not say itself: the first that one relation gives."""
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
    """Whether ``numbers`` can be compared without one, and agree."""
    rest = _within({name: number for name, number in numbers.items() if name != but})
    return bool(rest) and all(check.agrees for check in rest)


def _between(comparison: OtherSide, own: Numbers, other: Numbers) -> list[Check]:
    """The ratio that is said, and those of the two numbers themselves, in whichever way each follows."""
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
