"""Loads of a stack file: one, or several simultaneous ones, of which the first is watched.

A further load is a group of its own: its answers are measures of the scenario, named after it. Its kind has,
besides ``scenario``: ``beside(top, group, first, processes, background)``, which numbers processes and files from
``first`` of ``processes`` in all, and ``clients``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sim.engine.errors import StackFileError
from sim.engine.model.model import Model
from sim.engine.model.workloads import Workload
from sim.engine.result import GroupResult, Result
from sim.engine.statistics.answers import ANSWERS, QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.system.scenario import Measure, Scenario
from sim.system.stack.document import Source
from sim.system.stack.fields import Entry

DEFAULT_LOAD = "clients"
"""Default kind of load."""


def loads_of(source: Source) -> list[Entry]:
    """Loads of ``source``; one of the plain kind if it names none.

    Raises:
        InputError: a load is not usable; the message has its line.
    """
    written, taken = source.document.load, set[str]()
    tables = (written or [{}]) if isinstance(written, list) else [written]
    return [Entry.of(source, "load", *each, taken) for each in enumerate(map(_with_kind, tables))]


def _with_kind(written: dict[str, Any]) -> dict[str, Any]:
    return {"kind": DEFAULT_LOAD, **written}


def all_loads(
    entry: Entry, load: Any, others: Sequence[tuple[Entry, Any]], top: Any, background: Iterable[Workload]
) -> Scenario:
    """The scenario of ``load`` on ``top``, with the ``others`` beside it.

    Raises:
        StackFileError: a kind of load does not support others beside it.
    """
    if not others:
        alone: Scenario = load.scenario(top, background)
        return alone
    for each, kind in ((entry, load), *others):
        if not hasattr(kind, "beside"):
            raise StackFileError(
                f"{each.located()}: a load of kind {each.kind} cannot stand beside others; keep one"
            )
    processes = load.clients + sum(kind.clients for _, kind in others)
    scenario: Scenario = load.scenario(top, background, processes)
    if taken := [each for each, _ in others if each.name in scenario.model.groups]:
        raise StackFileError(f"{taken[0].located('name')}: the name '{taken[0].name}' is taken; give it another")
    workloads, measures = list(scenario.model.workloads), dict(scenario.measures)
    first = load.clients
    for each, kind in others:
        beside: Scenario = kind.beside(top, each.name, first, processes, background)
        workloads += [its for its in beside.model.workloads if its not in workloads]
        measures |= _measures(each.name, beside)
        first += kind.clients
    return replace(scenario, model=Model(workloads), measures=measures)


def _measures(group: str, beside: Scenario) -> Iterator[tuple[str, Measure]]:
    """Yield the answers of a load that is not watched, by name."""
    for answer in ANSWERS:
        scale, unit = (beside.amount, beside.unit) if answer == "throughput" else (1.0, "s")
        of = group if answer in QUANTILES else ""
        name = f"{group}_{answer}".replace(" ", "_")
        yield name, Measure(unit, _of_group(group, answer, scale), percentile_of=of)


def _of_group(group: str, answer: str, scale: float) -> Any:
    def read(result: Result) -> Estimate:
        of_group: GroupResult = result.groups[group]
        return of_group.answers[answer].scaled(scale)

    return read
