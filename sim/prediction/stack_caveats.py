"""Caveats of an answer that come from the layers of a stack file."""

from __future__ import annotations

from collections.abc import Mapping

from sim.engine.simulation.variation import VARY, Variation
from sim.prediction.idle_fields import idle_fields
from sim.system.case import Case
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.build import Stack
from sim.system.stack.fields import Entry
from sim.system.stack.kinds import LAYERS, fields_of, kind_of
from sim.system.stack.remarks import defaults
from sim.system.system import System

__all__ = ["idle_fields", "left_at_default", "words_of"]


def words_of(system: System, variation: Variation) -> str:
    """Deficiency of percentiles, and its remedy if no layer concerned takes a variation."""
    layers = [
        each
        for each in _stack(system).layers
        if any(f" {each.name} " in f" {place}" for place in variation.places)
    ]
    if not layers or any(each.kind == STEPS or "variation" in _fields(each) for each in layers):
        return variation.words
    kinds = " or ".join(dict.fromkeys(each.kind for each in layers))
    of_steps = f"no variation can be given to {kinds}; bare steps take a distribution (docs/layers.md#bare-steps)"
    return variation.words.replace(VARY, of_steps)


def left_at_default(case: Case) -> Mapping[str, tuple[str, ...]]:
    """Numbers that layers leave at their defaults, by layer."""
    stack, system = _stack(case.system), case.system
    return dict(defaults(stack, stack.filled(system.settings.record(**case.settings), system.parameters.values)))


def _stack(system: System) -> Stack:
    assert isinstance(system.build, Stack)  # noqa: S101  (that is what a stack file makes)
    return system.build


def _fields(entry: Entry) -> set[str]:
    return {each.name for each in fields_of(kind_of(LAYERS, entry.kind))}
