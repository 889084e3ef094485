"""Kinds of layers and loads that a stack file may name, found in all installed packages.

A kind is a frozen dataclass whose fields are settings, made by ``count``, ``size``, ``duration``, ``table`` and so
on, so that every field has a default, a unit and help, and is checked where it is read:

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
from typing import Any, Protocol

from sim import checks
from sim.errors import InputError
from sim.extensions import registered
from sim.system.settings import Settings
from sim.system.stack.absent import instead_of

LAYERS, LOADS = "stacksim.layers", "stacksim.loads"
"""Entry-point groups."""

Below = Callable[[str], Any]
"""Makes the layer below. The text, which may be empty, is put before the names of all places in it, so that a
layer that needs several copies of what is below (replicas, paths) gives each its own: ``below("copy 2 ")``.
"""


@dataclass(frozen=True)
class Filled:
    """A field that the file leaves out and another field of the layer implies, such as the name of hardware.

    Attributes:
        text: the value as people write it.
        source: where it is from; empty for what is only not limited.
        places: how the names of the places end that this value limits.
    """

    value: Any
    text: str
    source: str
    places: tuple[str, ...] = ()


WRITES, FLUSH, PAGE_CACHE, DIRECT = "writes", "a flush", "a page cache", "no page cache"
IO_URING = "io_uring"
"""What a load may ask of the layers, beside reads. What of it is ``NEEDED`` some layer has to give, or the answer
would be that of another load."""

NFS_SERVER = "a server of NFS"
"""What a layer may need of those below it."""

PAGES = "pages in memory"
"""What a layer gives that holds what files have in memory, and not only the lock around it; notes are told."""

NEEDED = {
    FLUSH: 'add [[layer]] kind = "journal", or flush = "…" to the ssd (0us: it has power-loss protection)',
    PAGE_CACHE: 'ask for direct I/O (direct=1), or add [[layer]] kind = "page cache"',
    NFS_SERVER: 'add [[layer]] kind = "nfsd" below the link, or leave it out',
}
"""How to fix a stack, or a load, where no layer gives it."""


@dataclass(frozen=True)
class Said:
    """What a load file says in place of a field of the plain load.

    Attributes:
        value: None where no one value says it.
        text: the value as people write it.
        otherwise: what the plain load does, as people write it, of what it has no field for.
    """

    value: Any
    text: str
    otherwise: str = ""


class LayerKind(Protocol):
    """What a stack file calls a layer; the class is a dataclass of settings.

    It may have functions besides: ``filled(written)``, the fields, by name, that the values ``written`` imply
    (those that the file writes itself go before them); ``priors(implied)``, the fields, by name, of hardware of
    which no more than ``implied`` is known, in which names of priors stand; ``gives(written)``, what of ``NEEDED``
    the layer has if its file writes these fields; ``kept()``, the fields whose rates no measurement passes, each
    with how the name of its place ends; ``needs()``, what of it some layer below has to give; ``refuses()``, why
    it cannot answer a load that asks for this or that; and ``notes(asked)``, what it leaves out of a load that
    asks for so much, a line each.

    A kind of load may have ``asks()``: what of the above it asks for, each with the words that say so.
    """

    def layer(self, name: str, below: Below) -> Any:
        """The layer. ``name`` is for its places: unique in a stack. A device does not ask for what is below."""


def kind_of(group: str, name: str) -> type:
    """The class of the kind ``name``; an unknown one is refused with the nearest name, and what else has it."""
    points = registered(group)
    try:
        made: type = points[checks.known("kind", name, points)].load()
    except InputError as error:
        hint = instead_of(name, points) if group == LAYERS else ""
        raise InputError(f"{error}{hint}") from None
    return made


@cache
def fields_of(kind: type) -> Settings[Any]:
    """The fields of a kind, which are the same at every build."""
    return Settings.of(kind)
