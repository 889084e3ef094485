"""Time profile of a prediction: its phases in order, each clocked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from typing_extensions import TypedDict

from sim.engine.events.registry import engine
from sim.engine.model.model import Model
from sim.engine.model.steps import Delay
from sim.engine.model.workloads import Closed
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions, part_of
from sim.prediction.prediction import Prediction, looked_at
from sim.prediction.solvers import solved_case
from sim.prediction.uncertainty import OF_RUN
from sim.system.case import Case


@dataclass(frozen=True)
class Phase:
    """Time of one phase.

    Attributes:
        processor_s: processor seconds of all threads.
        elapsed_s: elapsed seconds; None for the phase before the first clock.
    """

    name: str
    processor_s: float
    elapsed_s: float | None


class PhaseRecord(TypedDict):
    """Seconds of a phase: of processor time of all threads, and elapsed."""

    processor: float
    elapsed: float | None


@dataclass
class Profile:
    """Phases so far; the first is all before the profile: the start of Python, and imports."""

    phases: list[Phase] = field(default_factory=lambda: [Phase("importing", time.process_time(), None)])

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Context that clocks the phase ``name``."""
        processor_s, elapsed_s = time.process_time(), time.perf_counter()
        yield
        self.phases.append(Phase(name, time.process_time() - processor_s, time.perf_counter() - elapsed_s))

    def record(self) -> dict[str, PhaseRecord]:
        """The part ``profile`` that ``predict --profile --json`` adds to the JSON."""
        return {each.name: {"processor": each.processor_s, "elapsed": each.elapsed_s} for each in self.phases}


def profiled(case: Case, options: RunOptions, profile: Profile, progress: Progress | None = None) -> Prediction:
    """The result of ``predict_case`` with prediction intervals, with each phase clocked.

    Loading machine code and lowering the model are clocked separately, in addition to the run.
    """
    if options.engine == ANALYTIC:
        with profile.phase("building"):
            _ = case.folded
    else:
        _prepared(case, options, profile)
    with profile.phase("computing" if options.engine == ANALYTIC else "simulating"):
        scenario, result = solved_case(case, options, part_of(progress, 0.0, OF_RUN))
    with profile.phase("intervals"):
        return looked_at(case, options, scenario, result, progress, intervals=True)


def _prepared(case: Case, options: RunOptions, profile: Profile) -> None:
    create = engine(options.engine)
    with profile.phase("building"):
        model = case.scenario.model
    with profile.phase("loading"):
        create(Model([Closed("nobody", clients=1, path=[Delay(1e-9)])]), options.seed).advance(2)
    with profile.phase("lowering"):
        create(model, options.seed)
