"""Lines of a fio job file: sections, and the options in them as texts.

; a comment, like all text after # or ; in a line
[global]      options of all jobs after it
[name]        a job
option=value
option        short for option=1
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sim.data.importers.fio_results import asked
from sim.data.package import read_text
from sim.engine.errors import InputError, shown

GLOBAL = "global"
RESULTS = ".json"
"""Suffix of output of ``fio --output-format=json``, which contains the options of its jobs."""

LONGEST_NAME = 100

_OPTION = re.compile(r"([a-z][a-z0-9_-]*)(?:=(\S.*))?", re.ASCII)
_VARIABLE = re.compile(r"\$(\{|pagesize|mb_memory|ncpus)")


class Option(NamedTuple):
    """One line of a section."""

    place: str
    name: str
    text: str

    def refuse(self, allowed: str) -> InputError:
        """The error for this option."""
        return InputError(f"{self.place}: {self.name} is '{shown(self.text)}'; {allowed}")


@dataclass(frozen=True)
class Section:
    """A section: its name, its file and line, its options."""

    name: str
    place: str
    options: tuple[Option, ...]


def sections(path: Path) -> list[Section]:
    """Sections of the file ``path`` in order, with ``global``; for results of fio, the requested jobs.

    Raises:
        InputError: one line with file and line of the first unusable entry.
    """
    if path.suffix.lower() == RESULTS:
        return [_asked(f"{path}, line {line}", name, options) for line, name, options in asked(path)]
    entries: list[tuple[str, str, list[Option]]] = []
    for place, text in _lines(path):
        if text.startswith("["):
            entries.append((_name(place, text), place, []))
        elif not entries:
            raise InputError(f"{place}: '{shown(text)}' stands before any section; write [global] above it")
        else:
            entries[-1][2].append(_option(place, text))
    if all(name == GLOBAL for name, _, _ in entries):
        raise InputError(f"{path} has no job; write a section, such as [reads] with rw=randread below it")
    return [Section(name, place, tuple(options)) for name, place, options in entries]


def _asked(place: str, name: str, options: Mapping[str, str]) -> Section:
    return Section(name, place, tuple(Option(place, *option) for option in options.items()))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of each non-empty line, without comments."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        place, text = f"{path}, line {number}", re.split("[;#]", line, maxsplit=1)[0].strip(" \t\r")
        if not text.replace("\t", " ").isprintable():
            raise InputError(f"{place}: '{shown(text)}' has a character that cannot be printed; take it out")
        if text:
            yield place, text


def _name(place: str, text: str) -> str:
    name = text[1:-1]
    if not text.endswith("]") or name != name.strip() or not name or set(name) & set("[]\t"):
        raise InputError(f"{place}: '{shown(text)}' is no section; allowed: its name in brackets, such as [reads]")
    if len(name) > LONGEST_NAME:
        raise InputError(f"{place}: the name '{shown(name)}' is too long; allowed: {LONGEST_NAME} characters")
    return name


def _option(place: str, text: str) -> Option:
    if text.split(maxsplit=1)[0] == "include":
        raise InputError(f"{place}: '{shown(text)}' names another file; write its options here")
    match = _OPTION.fullmatch(text)
    if not match:
        raise InputError(
            f"{place}: '{shown(text)}' is no option; allowed: option=value without blanks around =, such as bs=4k"
        )
    option = Option(place, match[1], "1" if match[2] is None else match[2])
    if variable := _VARIABLE.search(option.text):
        raise option.refuse(f"allowed: a value without variables; write what {variable[0]}… stands for")
    return option
