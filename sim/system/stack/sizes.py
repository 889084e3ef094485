"""Parameters of a stack that are the time of an I/O of one size, and the figures that measure them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.engine.units import bytes_of
from sim.system.quantities import Table
from sim.system.stack.build import Stack
from sim.system.stack.kinds import LAYERS, fields_of, kind_of
from sim.system.system import System


def times_measured(system: System, settings: Mapping[str, Any]) -> set[str]:
    """Parameters of a stack that are times of I/Os with the block size and operation of these ``settings``.

    Between two sizes of a table, both times are measured. Layers that split or merge I/Os are not followed. Empty
    for a system without a setting for the block size.
    """
    sizes = system.settings.of_role("block")
    if not isinstance(system.build, Stack) or not sizes:
        return set()
    written = str(system.build.load.fields.get("op", "read"))  # a setting, or what the stack always does
    op = str(settings.get(written, written))
    found = {
        name
        for times in _tables(system.build)
        for each, by_size in _by_operation(times)
        if each in (op, "") or op not in ("read", "write")
        for name in _around(by_size, settings[sizes[0].name])
    }
    return found & {*system.parameters.names()}


def _tables(stack: Stack) -> Iterator[Mapping[str, Any]]:
    """Yield each written table of times."""
    for entry in stack.layers:
        for name, written in entry.fields.items():
            if isinstance(written, Mapping) and any(
                each.name == name and isinstance(each, Table) for each in fields_of(kind_of(LAYERS, entry.kind))
            ):
                yield written


def _by_operation(times: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the operation, empty for both, and its times by size; one time for all sizes is left out."""
    parts = times.items() if {"read", "write"} & times.keys() else [("", times)]
    yield from ((op, by_size) for op, by_size in parts if isinstance(by_size, Mapping))


def _around(by_size: Mapping[str, Any], size_bytes: int) -> set[str]:
    """Names of the time of that size; else of the next smaller and the next larger one."""
    named = sorted((bytes_of("size", text), str(name)) for text, name in by_size.items())
    below = [name for size, name in named if size <= size_bytes][-1:]
    above = [name for size, name in named if size >= size_bytes][:1]
    return {*below, *above}
