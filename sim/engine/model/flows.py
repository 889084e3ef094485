"""Mean amounts moved by requests, as a linear system whose solutions are the rates that a model can sustain.

A flow is a request of a workload, or a passage through a branch that only the run decides on (``Lookup`` and
``IfAny``). Each moves buffers by a mean amount. In the long run no level goes on rising or falling, so that

    sum over all flows: rate × what it puts into a buffer, less what it takes = 0        for each buffer      (1)
    rate of both branches of a step = rate at which requests come to it                  for each such step   (2)

independent of times and of waiting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sim.engine.model.demands import weighed
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer, Gate
from sim.engine.model.steps import Await, Choose, Gather, IfAny, Lookup, Path, Put, Step, Take

ROUNDING = 1e-12
"""Share of the summed absolute amounts below which a sum is zero: probabilities are rounded."""

Row = Buffer | int
"""A buffer, or the identity of a step whose branch only the run decides on."""

FlowName = int | tuple[int, int]
"""The number of a workload; or the identity of a step and the number of its branch."""


@dataclass
class Amounts:
    """Mean amounts by row, each with the sum of the absolute values added to it."""

    sums: dict[Row, tuple[float, float]] = field(default_factory=dict)

    def add(self, more: Amounts, times: float) -> None:
        """Add ``more``, ``times`` times."""
        for row, (amount, gross) in more.sums.items():
            amount_before, gross_before = self.sums.get(row, (0.0, 0.0))
            self.sums[row] = amount_before + times * amount, gross_before + abs(times) * gross

    def move(self, row: Row, amount: float) -> None:
        """Add one amount."""
        self.add(Amounts({row: (amount, abs(amount))}), 1.0)

    @property
    def net(self) -> dict[Row, float]:
        """The amounts that are not zero."""
        return {row: amount for row, (amount, gross) in self.sums.items() if abs(amount) > ROUNDING * gross}

    def less(self, other: Amounts) -> dict[Row, float]:
        """Differences of these amounts from those of ``other``."""
        difference = Amounts(dict(self.sums))
        difference.add(other, -1.0)
        return difference.net


@dataclass
class Passage:
    """Effects of one passage along a path.

    Attributes:
        awaits, gathers: gates at which it waits, and gates from which it takes a batch.
        uneven: choices on it whose options move different amounts.
    """

    amounts: Amounts = field(default_factory=Amounts)
    awaits: frozenset[Gate] = frozenset()
    gathers: frozenset[Gate] = frozenset()
    uneven: frozenset[int] = frozenset()

    def add(self, more: Passage, times: float = 1.0) -> None:
        """Append ``more``, ``times`` times on average."""
        if times:
            self.amounts.add(more.amounts, times)
            self.awaits |= more.awaits
            self.gathers |= more.gathers
            self.uneven |= more.uneven

    @property
    def nothing(self) -> bool:
        """True if it concerns no buffer and no gate."""
        return not (self.amounts.sums or self.awaits or self.gathers or self.uneven)


_NOTHING = Passage()


class Flows:
    """The flows of ``model``.

    Attributes:
        passages: effects of each flow, by its name.
        choices: options of each uneven choice, by its identity: probabilities and effects.
    """

    def __init__(self, model: Model) -> None:
        self._known: dict[int, Passage] = {}
        self.passages: dict[FlowName, Passage] = {}
        self.choices: dict[int, list[tuple[float, Passage]]] = {}
        for row, workload in enumerate(model.workloads):
            self.passages[row] = self._along(workload.path)

    def moved(self) -> dict[FlowName, dict[Row, float]]:
        """Amounts moved by each flow: the columns of (1) and (2)."""
        return {name: passage.amounts.net for name, passage in self.passages.items()}

    def uneven(self, active: Iterable[FlowName]) -> Iterator[tuple[int, list[Mapping[Row, float]]]]:
        """Uneven choices of ``active`` flows, with the differences of all options from the first."""
        for choice in frozenset[int]().union(*(self.passages[name].uneven for name in active)):
            (_, first), *others = self.choices[choice]
            yield choice, [other.amounts.less(first.amounts) for _, other in others]

    def _along(self, path: Path) -> Passage:
        total = Passage()
        for step in path:
            passage = self._step(step)
            if not passage.nothing:
                total.add(passage)
        return total

    def _step(self, step: Step) -> Passage:
        if id(step) not in self._known:
            self._known[id(step)] = self._read(step)
        return self._known[id(step)]

    def _read(self, step: Step) -> Passage:
        match step:
            case Put() | Take():
                passage = Passage()
                passage.amounts.move(step.buffer, step.amount if isinstance(step, Put) else -step.amount)
                return passage
            case Await():
                return Passage(awaits=frozenset([step.gate]))
            case Gather():
                return Passage(gathers=frozenset([step.gate]))
            case Lookup() | IfAny():
                return self._either(step)
            case Choose():
                return self._choice(step)
        if not step.inner:
            return _NOTHING
        total = Passage()
        for times, inner in weighed(step, 1.0):
            total.add(self._along(inner), times)
        return total

    def _either(self, step: Lookup | IfAny) -> Passage:
        """The passage to ``step``; its branches become two more flows, unless both have no effect."""
        branches = [self._along(path) for path in step.inner]
        one, other = branches
        if one.nothing and other.nothing:
            return _NOTHING
        passage = Passage()
        passage.amounts.move(id(step), -1.0)
        for number, branch in enumerate(branches):
            self.passages[id(step), number] = flow = Passage()
            flow.add(branch)
            flow.amounts.move(id(step), 1.0)
        return passage

    def _choice(self, step: Choose) -> Passage:
        options = [(share, self._along(path)) for share, path in step.options if share]
        total = Passage()
        for share, option in options:
            total.add(option, share)
        if any(option.amounts.less(options[0][1].amounts) for _, option in options[1:]):
            self.choices[id(step)] = options
            total.uneven |= {id(step)}
        return total
