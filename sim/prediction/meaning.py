"""Key of a prediction in a store: the model and the options, independent of the file that describes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from sim.engine.errors import InputError
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import check_answers
from sim.prediction.digest import Digest
from sim.prediction.uncertainty import comparable, draws_of
from sim.system.case import Case
from sim.system.scenario import Scenario

_ROOMS = ("engine", "prediction/uncertainty.py", "prediction/states.py")
"""Files and folders of ``sim`` on which results depend, beside the model."""

_LIBRARIES = ("numpy", "scipy", "simpy")
"""Libraries that draw, solve and order events."""


@cache
def engine_version() -> str:
    """The version of the engine: equal versions give equal results.

    Between releases engines change while the package's version does not, so their sources are included.
    """
    digest = hashlib.blake2b(digest_size=8)
    root = Path(__file__).parents[1]
    for room in _ROOMS:
        place = root / room
        for source in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(source.read_bytes())
    libraries = " ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"{version('stacksim')} {digest.hexdigest()} {libraries}"


def key_of(case: Case, options: RunOptions, *, intervals: bool = False) -> bytes:
    """The key of a prediction, with or without prediction intervals; builds the model.

    It excludes how answers are read off a result, as that is done again for each stored result.

    Raises:
        StacksimError: the model cannot be built, or lacks an answer to be watched.
        UnknownMeaningError: part of the model is user code.
    """
    scenario, copies = _folded(case) if options.engine == ANALYTIC else (case.scenario, ())
    check_answers(options.answers, scenario.units)
    asked = (engine_version(), options, dict(case.settings), scenario.watch, scenario.amount, scenario.in_parts)
    draws = tuple(_draws(case)) if intervals and comparable(options) else ()
    return Digest().of(asked, _lasting(scenario.model) or Digest().of(scenario.model), copies, draws)


@once_for_each
def _lasting(model: Model) -> bytes | None:
    """The digest of ``model``, which points of a sweep may share; None if it includes files, which may change."""
    digest = Digest()
    value = digest.of(model)
    return None if digest.files else value


def _folded(case: Case) -> tuple[Scenario, object]:
    """The scenario that the analytic engine solves, and the multiplicity of each part of it."""
    scenario, folded = case.folded
    workloads = [(workload.name, count) for workload, count in folded.workloads]
    copies = {place.name: count for place, count in folded.copies.items()}
    fan_out = {(workload, place.name): count for (workload, place), count in folded.fan_out.items()}
    return scenario, (workloads, copies, fan_out)


def _draws(case: Case) -> Iterator[object]:
    """Inputs of prediction intervals beside the result: the models that are run for them, and the scatter."""
    fits, ranges = draws_of(case.system.parameters)
    yield len(fits), case.system.parameters.scatter
    for values in (*fits, *ranges):
        try:
            yield Digest().of(case.changed(values).model)
        except InputError:
            yield None
