"""Kinds of layers and loads that a stack file may name, found in all installed packages.

A kind is a frozen dataclass whose fields are settings, made by ``count``, ``size``, ``duration``, ``table`` and so
on, so that every field has a default, a unit and help, and is checked on reading:

    @dataclass(frozen=True)
    class Disk:
        \"\"\"One arm: position, then transfer.\"\"\"

        access: float = duration(4e-3, "a seek and half a turn")

        def layer(self, name: str, below: Below) -> Layer:
            return _Disk(Station(name), self.access)

It is registered as an entry point of the group ``stacksim.layers``, as ``disk = "package.module:Disk"``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any, Protocol

from sim.engine.errors import ExtensionError, InputError
from sim.engine.extensions import chosen, load, registered, usable
from sim.system.settings import Settings
from sim.system.stack.absent import instead_of

LAYERS, LOADS = "stacksim.layers", "stacksim.loads"
"""Entry-point groups."""

Below = Callable[[str], Any]
"""Makes the layer below. The text, which may be empty, is put before the names of all places in it, so that a
layer that needs several copies of those below (replicas, paths) gives each its own: ``below("copy 2 ")``.
"""


@dataclass(frozen=True)
class Filled:
    """A field that the file leaves out and another field of the layer implies, such as the name of hardware.

    Attributes:
        text: the value as users write it.
        source: source of the value; empty if it means no limit.
        places: endings of the names of places that this value limits.
    """

    value: Any
    text: str
    source: str
    places: tuple[str, ...] = ()


WRITES = "writes"
"""Feature that a load may request: writes."""

FLUSH = "a flush"
"""Feature that a load may request: that what it wrote is durable. Some layer must provide it."""

PAGE_CACHE = "a page cache"
"""Feature that a load may request: I/O through a page cache. Some layer must provide it."""

DIRECT = "no page cache"
"""Feature that a load may request: I/O past the page cache."""

IO_URING = "io_uring"
"""Feature that a load may request: submission through io_uring."""

NFS_SERVER = "a server of NFS"
"""Feature that a layer may need from those below it."""

PAGES = "pages in memory"
"""Feature of a layer that caches file data in memory, not only the lock around it; passed to ``notes``."""

NEEDED = {
    FLUSH: 'add [[layer]] kind = "journal", or flush = "…" to the ssd (0us: it has power-loss protection)',
    PAGE_CACHE: 'ask for direct I/O (direct=1), or add [[layer]] kind = "page cache"',
    NFS_SERVER: 'add [[layer]] kind = "nfsd" below the link, or leave it out',
}
"""Remedy for a stack or a load if no layer provides the feature: the answer would be that of another load."""


@dataclass(frozen=True)
class Said:
    """Value in a load file for a field of the plain load.

    Attributes:
        value: None if no single value describes it.
        text: the value as users write it.
        otherwise: behaviour of the plain load, as text, if it has no field for it.
    """

    value: Any
    text: str
    otherwise: str = ""


class LayerKind(Protocol):
    """A kind of layer in a stack file; the class is a dataclass of settings.

    Optional methods: ``filled(written)``, fields, by name, that the values ``written`` imply (those in the file
    take precedence); ``priors(implied)``, names of priors, by field, for hardware of which no more than
    ``implied`` is known; ``gives(written)``, features of ``NEEDED`` that the layer has if its file has these
    fields; ``kept()``, fields whose rates no measurement exceeds, each with the ending of its place's name;
    ``needs()``, features that some layer below must provide; ``refuses()``, reasons not to answer a load with
    certain features; and ``notes(asked)``, simplifications for a load with the features ``asked``, a line each.
    ``resizes = True`` in the class: other bytes than asked may reach the layer below, as of a compressor;
    ``own_process = True``: a process of the layer asks below, not those that asked it.

    A kind of load may have ``asks()``: the features that it requests, each with its text.
    """

    def layer(self, name: str, below: Below) -> Any:
        """Build the layer. Its places are named after ``name``, unique in a stack; a device ignores ``below``."""


def kind_of(group: str, name: str) -> type:
    """The class of the kind ``name``; the error for an unknown one has the nearest name and alternatives."""
    try:
        return _loaded(chosen(group, "kind", name))
    except ExtensionError:
        raise
    except InputError as error:
        hint = instead_of(name, registered(group)) if group == LAYERS else ""
        raise InputError(f"{error}{hint}") from None


def kinds(group: str) -> dict[str, type]:
    """All kinds of ``group``, by name; a warning names each that cannot be loaded."""
    return usable(registered(group).values(), _loaded)


def _loaded(point: EntryPoint) -> type:
    kind: type = load(point, checked_layer if point.group == LAYERS else checked)
    return kind


def checked_layer(kind: Any) -> type:
    """``kind``, a frozen dataclass of settings with the function ``layer``.

    Raises:
        InputError: it is none.
    """
    made = checked(kind)
    if not callable(getattr(made, "layer", None)):
        raise InputError(f"{made.__name__} has no function layer; write def layer(self, name, below)")
    return made


def checked(kind: Any) -> type:
    """``kind``, a frozen dataclass of settings.

    Raises:
        InputError: it is none.
    """
    fields_of(kind)
    made: type = kind
    return made


@cache
def fields_of(kind: type) -> Settings[Any]:
    """The fields of a kind, equal at every build."""
    return Settings.of(kind)
