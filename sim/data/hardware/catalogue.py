"""The hardware catalogue that comes with the models: read once, looked up by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sim.data.hardware.record import Hardware
from sim.engine.errors import InputError, did_you_mean, shown
from sim.system.shipped import shipped

_FILE = "hardware.toml"

_PARTS = re.compile(r"(?:(?P<number>[1-9]\d{0,5})\s*[x×]\s*)?(?P<name>\S+)", re.ASCII | re.IGNORECASE)

_WORD = re.compile(r"[a-z]\w+", re.ASCII)

FEW = 4
"""Number of entries listed for a word that is no name."""

_COUNTED = re.compile(r"(?P<number>[1-9]\d{0,5})\s+(?P<name>[a-z]\S*)", re.ASCII | re.IGNORECASE)
"""A number and a name without the ``x`` between them."""


@cache
def catalogue() -> Mapping[str, Hardware]:
    """All hardware, by name, in the order of the file; read once.

    Raises:
        InputError: the file is missing or not usable.
    """
    from sim.data.hardware.file import read  # lazily: pydantic, which most runs do not need

    return MappingProxyType(read(shipped(_FILE)))


def kinds() -> tuple[str, ...]:
    """The kinds of hardware, in the order of the file."""
    return tuple(dict.fromkeys(each.kind for each in catalogue().values()))


@cache
def _names() -> Mapping[str, str]:
    """The catalogue name for each name and alias."""
    return {alias: each.name for each in catalogue().values() for alias in (each.name, *each.aliases)}


def hardware(name: str) -> Hardware:
    """Look up the entry called ``name``, or with that alias, in any case.

    Raises:
        InputError: there is none; the message has the nearest name.
    """
    names = _names()
    full_name = names.get(name.strip().casefold()) if isinstance(name, str) else None
    if full_name is None:
        near = _near(str(name))
        raise InputError(f"no hardware '{shown(name)}'; {near}allowed: a name of `stacksim hardware`")
    return catalogue()[full_name]


def _near(name: str) -> str:
    """The nearest name as a question, or else the first entries with the word ``name``; may be empty."""
    if close := did_you_mean(name, _names()):
        return close
    word = name.strip().casefold()
    told = [
        each.name
        for each in catalogue().values()
        if word in _WORD.findall(f"{each.name} {each.title} {each.kind}".casefold())
    ]
    more = f" and {len(told) - FEW} more" if len(told) > FEW else ""
    return f"{shown(word)}: {', '.join(told[:FEW])}{more}; " if told else ""


def parts(text: str) -> tuple[int, Hardware]:
    """Parse a count and a hardware name: ``2 x fc-2``, or ``fc-2`` for one.

    Raises:
        InputError: it is not of that form, or there is no such hardware.
    """
    match = _PARTS.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        counted = _COUNTED.fullmatch(shown(text).strip())
        if counted and (counted["name"].casefold() in _names() or did_you_mean(counted["name"], _names())):
            raise InputError(f"hardware is '{shown(text)}'; write '{counted['number']} x {counted['name']}'")
        near = _near(text) if isinstance(text, str) else ""
        raise InputError(
            f"hardware is '{shown(text)}'; {near}allowed: a name of `stacksim hardware`, or so many of it, such "
            "as '2 x fc-2'; a number with a unit goes elsewhere, such as to throughput"
        )
    return int(match["number"] or 1), hardware(match["name"])
