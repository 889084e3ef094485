"""Figures that another tool reports of a run, before they are assigned to a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim.data.package import read_text
from sim.engine.errors import InputError, shown
from sim.engine.units.reading import ORACLE_COUNTS, Amount, amount
from sim.engine.units.text import number_text

CLOSE = 0.02
"""Relative tolerance between a figure and its value computed from others of its line, beyond rounding."""


@dataclass(frozen=True)
class Told:
    """One figure: ``value`` ± ``half_width``, in ``unit``; ``value`` may be 0.

    Attributes:
        line: its line in the file, from 1.
        measure: the answer of systems that it measures, or another name.
        part: its subject within the file: a device, a run, a call.
        load: the requested load as options of fio; empty if the file does not state it.
        settings: other stated settings, by name.
        follows: the other figures of its part that it follows from, as text; else empty.
        request_bytes: mean bytes of an I/O of its part, as a device sees it; 0 if not reported.
    """

    line: int
    measure: str
    value: float
    half_width: float
    unit: str
    part: str = ""
    load: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    follows: str = ""
    request_bytes: float = 0.0


@dataclass(frozen=True)
class Number:
    """A number as written, with half of its last digit."""

    value: float
    half_width: float

    @classmethod
    def of(cls, written: Amount) -> Number:
        """The number of ``written``, without its unit."""
        return cls(written.value, written.half_a_digit)

    def times(self, scale: float) -> Number:
        """Return the number times ``scale``, such as in another unit."""
        return Number(self.value * scale, self.half_width * scale)

    def by(self, other: Number) -> Number:
        """Return the product, with the rounding of both."""
        width = self.value * other.half_width + other.value * self.half_width
        return Number(self.value * other.value, width + self.half_width * other.half_width)


def lines_of(path: Path) -> list[str]:
    """Lines of a text file, as an editor counts them; InputError if it is not text."""
    return read_text(path).replace("\r\n", "\n").split("\n")


def whole_lines_of(path: Path) -> list[str]:
    """Lines of a text file with a line end at its end; InputError for one that is cut short."""
    lines = lines_of(path)
    if lines[-1]:
        raise InputError(f"{path}, line {len(lines)} does not end; is the file cut short?")
    return lines


def cells(place: str, heading: Sequence[str], text: str) -> dict[str, str]:
    """Cells below each word of the ``heading``, separated by spaces; the last may have several words.

    Raises:
        InputError: one line that begins with ``place``, for fewer words.
    """
    words = text.split(maxsplit=len(heading) - 1)
    if len(words) != len(heading):
        raise InputError(f"{place} has {len(words)} columns; allowed: {len(heading)}; is the file cut short?")
    return dict(zip(heading, words, strict=True))


def number(place: str, name: str, text: str, *, grouped: bool = False) -> Number:
    """Parse ``text``; if ``grouped``, it may have commas between thousands, or a suffix such as K or E+07.

    Raises:
        InputError: one line that begins with ``place``.
    """
    written = amount(text, grouped=grouped, exponent=grouped)
    scale = written and (ORACLE_COUNTS if grouped else {"": 1.0}).get(written.unit)
    if not written or not scale:
        commas = "1,234.5" if grouped else "1234.5"
        raise InputError(
            f"{place}: {name} is '{shown(text)}'; allowed: a number from 0, such as {commas}; is the file cut "
            "short, or written with a decimal comma?"
        )
    return Number.of(written).times(scale)


def agree(place: str, told: Number, made: Number, says: str, slack: float = CLOSE, *, what: str = "it") -> None:
    """Refuse a figure that differs from others by more than all rounding and a share ``slack``.

    Args:
        what: name of the figure.

    Raises:
        InputError: one line: ``place``, the figures (``says``), and the value that they imply.
    """
    apart = abs(told.value - made.value)
    if apart > told.half_width + made.half_width + slack * max(told.value, made.value):
        raise InputError(
            f"{place}: {says}, which make {number_text(made.value)}, and {what} says {number_text(told.value)}; "
            "is a figure or its unit wrong?"
        )
