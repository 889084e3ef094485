"""Run options, one record from the command to the engine, and a run: options with a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sim.engine import checks
from sim.engine.events.registry import ENGINES, engine
from sim.engine.statistics.answers import ANSWERS, QUANTILES, THROUGHPUT, in_order, tolerances

if TYPE_CHECKING:
    from sim.engine.events.protocol import Engine
    from sim.engine.model.model import Model
    from sim.engine.result import Result
    from sim.engine.simulation.controls import Controls
    from sim.engine.statistics.estimates import Estimate

Progress = Callable[[float], None]
"""Called now and then with the estimated share of the run that is done."""


def part_of(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress function of a part of the work, from the share ``begin`` to ``end`` of the whole."""
    return progress and (lambda share: progress(begin + (end - begin) * share))


ANALYTIC = "analytic"
"""The engine that computes instead of running a model; ``simulate`` does not accept it."""

SOLVERS = (*ENGINES, ANALYTIC)
"""Engines that predictions accept."""

MAX_SEED = 1 << 128
"""Seeds are below this: the generator of random numbers takes 128 bits."""

MAX_STEPS = 100_000_000
"""Steps after which a run stops even if its precision is not reached: some ten seconds in the compiled engine."""

FINEST, COARSEST = 0.0001, 0.5
"""Range of precisions."""


WIDE = 0.02
"""Precision beyond which a run counts as brief, whatever answers it waits for."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run of a model; each value is checked.

    Attributes:
        engine: ``compiled``, ``reference``, or ``auto``: compiled unless a step needs SimPy. Results are equal.
            Predictions take ``analytic``, too: quick and approximate.
        seed: root seed, from 0; the same seed gives the same result everywhere.
        precision: half-width of the interval of throughput as a share of the value.
        confidence: level of every interval.
        answers: answers to wait for: ``throughput``, ``mean``, ``p50``, ``p95`` and ``p99``, and those
            of a system's own.
        max_steps: steps after which to stop with a warning if the precision is not reached.
        max_completed: limit on completed requests of the watched group; by default half of ``max_steps``.

    Raises:
        InputError: a value that is not allowed.
    """

    engine: str = "auto"
    seed: int = 1
    precision: float = 0.01
    confidence: float = 0.95
    answers: tuple[str, ...] = ANSWERS
    max_steps: int = MAX_STEPS
    max_completed: int | None = None

    def __post_init__(self) -> None:
        checks.known("engine", self.engine, SOLVERS)
        self._keep("seed", checks.whole("seed", self.seed, 0, most=MAX_SEED))
        self._keep("precision", checks.number("precision", self.precision, low=FINEST, high=COARSEST))
        self._keep("confidence", checks.number("confidence", self.confidence, low=0.5, high=0.9999))
        self._keep("answers", in_order(self.answers))
        self._keep("max_steps", checks.whole("max_steps", self.max_steps, 1))
        if self.max_completed is not None:
            self._keep("max_completed", checks.whole("max_completed", self.max_completed, 1))

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def completions(self) -> int:
        """Completed requests of the watched group after which a run stops."""
        return -(-self.max_steps // 2) if self.max_completed is None else self.max_completed

    @property
    def tolerances(self) -> dict[str, float]:
        """Half-width up to which each answer counts as known, as a share of its value."""
        return tolerances(self.precision, self.own)

    @property
    def brief(self) -> bool:
        """True if a run may end before it has met rare events: low precision is asked for, or no percentile.

        At the coarsest precision nothing is asked for, as in runs of a fixed length.
        """
        soon = self.precision > WIDE or not any(name in QUANTILES for name in self.answers)
        return soon and self.precision < COARSEST

    @property
    def own(self) -> tuple[str, ...]:
        """The system's own answers that the run waits for."""
        return tuple(name for name in self.answers if name not in ANSWERS)


@dataclass(frozen=True)
class Run:
    """One run: a model, the group to watch, and options.

    Attributes:
        watch: the group whose answers the run waits for.
        parts: keep records of parts of the run, or of each replication of a job.
        progress: called now and then with the estimated share of the run that is done.
        percentiles: returns True if they mean anything by the result so far; those of constant times do not.
        own: returns the system's own answers by name, from the result so far.
    """

    model: Model
    watch: str
    options: RunOptions = field(default_factory=RunOptions)
    parts: bool = False
    progress: Progress = lambda _share: None
    percentiles: Callable[[Result], bool] = lambda _result: True
    own: Callable[[Result], Mapping[str, Estimate]] = lambda _result: {}

    @property
    def without_percentiles(self) -> Run:
        """A copy that does not wait for percentiles."""
        answers = tuple(name for name in self.options.answers if name not in QUANTILES)
        return replace(self, options=replace(self.options, answers=answers or THROUGHPUT))

    @property
    def rows(self) -> list[int]:
        """Indices of the watched workloads among the workloads of the model."""
        return self.model.rows(self.watch)

    @cached_property
    def controls(self) -> Controls:
        """Controls of its runs."""
        from sim.engine.simulation.controls import Controls  # lazily: NumPy

        return Controls(self.model)

    def start(self, seed: int | None = None, *, max_steps: int | None = None) -> Engine:
        """An engine at time zero, with the root seed of the options unless another is given."""
        create = engine(self.options.engine)
        return create(self.model, self.options.seed if seed is None else seed, max_steps=max_steps)
