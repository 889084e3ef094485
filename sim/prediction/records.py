"""Binary record of a prediction in a store: its result, prediction intervals and states, compressed."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Mapping

from sim.engine.errors import InputError
from sim.engine.result import Bound, Burst, GroupResult, Latency, PlaceResult, Result
from sim.engine.statistics.estimates import Estimate
from sim.prediction.states import States
from sim.prediction.uncertainty import PredictionInterval

Intervals = Mapping[str, PredictionInterval]

_KINDS = {
    (each.__module__, each.__qualname__): each
    for each in (
        *(Result, GroupResult, PlaceResult, Latency, Estimate, Bound, Burst, PredictionInterval, States),
        dict,
    )
}
"""Classes allowed in a record; no other is loaded, whoever wrote the file."""

_LEVEL = 1
"""Level of compression: a quarter of the bytes, in less time than writing the rest would take."""


def packed(result: Result, intervals: Intervals, states: States | None) -> bytes:
    """All three as bytes, from which ``unpacked`` restores them bit for bit."""
    return zlib.compress(pickle.dumps((result, dict(intervals), states), pickle.HIGHEST_PROTOCOL), _LEVEL)


def unpacked(content: bytes) -> tuple[Result, Intervals, States | None]:
    """The inverse of ``packed``.

    Raises:
        InputError: ``content`` is not the result of ``packed``.
    """
    try:
        result, intervals, states = _Unpickler(io.BytesIO(zlib.decompress(content))).load()
    except (zlib.error, pickle.UnpicklingError, EOFError, TypeError, ValueError) as error:
        raise InputError(f"a result cannot be read: {error}; take a new store") from error
    return result, intervals, states


class _Unpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> type:
        try:
            return _KINDS[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a result") from None
