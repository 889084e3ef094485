"""Calls of the functions of a kind and of its layer, of which each returns what it should or is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sim.engine.checks import known, quoted
from sim.engine.errors import InputError, StackFileError
from sim.engine.model.steps import Path, Step
from sim.system.blame import blaming
from sim.system.stack.kinds import DIRECT, FLUSH, IO_URING, NFS_SERVER, PAGE_CACHE, PAGES, WRITES, Below

FEATURES = (WRITES, FLUSH, PAGE_CACHE, DIRECT, IO_URING, NFS_SERVER, PAGES)
"""Features that loads request, and layers have, need or refuse."""


def features(kind: object, function: str, *given: object) -> frozenset[str]:
    """Features that ``gives`` or ``needs`` of ``kind`` returns; none without such a function.

    Raises:
        InputError: it returns something else; so for all functions here.
    """
    texts = _texts(kind, function, *given)
    return frozenset(known(f"feature for {function}() of {_name(kind)}:", each, FEATURES) for each in texts)


def refusals(kind: object) -> Mapping[str, str]:
    """Reasons, by feature, for which ``kind`` cannot answer a load."""
    returned = _returned(kind, "refuses", dict)
    if not isinstance(returned, Mapping):
        raise _wrong(kind, "refuses", returned, 'a dict, such as {IO_URING: "cannot answer it, as …"}')
    return {
        known(f"feature for refuses() of {_name(kind)}:", each, FEATURES): why for each, why in returned.items()
    }


def notes(kind: object, asked: Mapping[str, str]) -> tuple[str, ...]:
    """Simplifications of ``kind`` for a load with the features ``asked``, a line each."""
    return _texts(kind, "notes", asked)


def background(layer: object) -> tuple[Any, ...]:
    """Workloads of ``layer`` itself."""
    return _all(layer, "background", "a list of workloads, such as [Closed(…)]")


def layer_of(kind: object, name: str, below: Below) -> Any:
    """The layer that ``kind`` makes."""
    layer = _returned(kind, "layer", tuple, name, below)
    if not callable(getattr(layer, "path", None)):
        raise _wrong(kind, "layer", layer, "an object with the function path(io)")
    return layer


def path_of(layer: Any, io: Any) -> Path:
    """The path of ``io`` through ``layer``."""
    path = layer.path(io)
    if not isinstance(path, tuple | list) or not all(isinstance(step, Step) for step in path):
        raise _wrong(layer, "path", path, "a tuple of steps, such as (Delay(1e-3), *self.below.path(io))")
    return tuple(path)


@dataclass(frozen=True, eq=False)
class Checked:
    """A layer of another package, whose paths are checked; ``where`` begins the error."""

    layer: Any
    where: str

    def path(self, io: Any) -> Path:
        """The path of the layer.

        Raises:
            StackFileError: it is none.
        """
        try:
            return path_of(self.layer, io)
        except WrongReturnError as error:
            raise StackFileError(f"{self.where}: {error}") from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)


class WrongReturnError(InputError):
    """A function of a kind or a layer returns what it must not."""


def _texts(kind: object, function: str, *given: object) -> tuple[str, ...]:
    allowed = "a tuple of texts"
    texts = _all(kind, function, allowed, *given)
    for text in texts:
        if not isinstance(text, str):
            raise _wrong(kind, function, text, allowed)
    return texts


def _all(kind: object, function: str, allowed: str, *given: object) -> tuple[Any, ...]:
    returned = _returned(kind, function, tuple, *given)
    if isinstance(returned, str) or not isinstance(returned, Iterable):
        raise _wrong(kind, function, returned, allowed)
    return blaming(f"{function}() of {_name(kind)}", lambda: tuple(returned))


def _returned(kind: object, function: str, otherwise: Callable[..., Any], *given: object) -> Any:
    if not hasattr(kind, function):
        return otherwise()
    return blaming(f"{function}() of {_name(kind)}", lambda: getattr(kind, function)(*given))


def _wrong(kind: object, function: str, returned: object, allowed: str) -> InputError:
    return WrongReturnError(f"{function}() of {_name(kind)} returns {quoted(returned)}; allowed: {allowed}")


def _name(kind: object) -> str:
    return type(kind).__name__
