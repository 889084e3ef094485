"""Results of dd, as it prints them on stderr: the bytes copied and the time.

    8192+0 records in
    8192+0 records out
    1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.65 s, 405 MB/s

The settings are in the name of the file: users=4_block=8KiB_op=write.txt. Several results in one file ran at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sim.data.importers.figures import Reading
from sim.data.package import read_text
from sim.engine.errors import InputError, shown
from sim.engine.units import MB
from sim.engine.units.reading import NUMBER, Amount, amount
from sim.system.settings import pairs

_ENDING = re.compile(r"\.[a-z]+$", re.IGNORECASE)
_BETWEEN = re.compile(r"(=[^=,]*?)_(?=[a-z][a-z0-9_]*=)")  # names of settings may have _ inside
_RECORDS = re.compile(r"[0-9]+\+[0-9]+ records (?P<way>in|out)|[0-9]+ truncated records?")
_COPIED = re.compile(
    r"(?P<bytes>[0-9]{1,18}) bytes?( \([^()]*\))? copied, "
    rf"(?P<seconds>{NUMBER}) s(econds)?, [0-9.e+]+ [kMGTPE]?i?B/s"
)


def readings(path: Path) -> Iterator[Reading]:
    """Yield the one figure of a file: the total throughput of all its dd results.

    Raises:
        InputError: a name without settings, a result cut short, or any other text, with its line.
    """
    settings = settings_in(path)
    copied: list[tuple[int, int, Amount]] = []
    records = {"in": 0, "out": 0}
    line = 0
    for line, text in _lines(path):
        place = f"{path}, line {line}"
        if match := _COPIED.fullmatch(text):
            moved, seconds = int(match["bytes"]), amount(match["seconds"])
            if not (moved and seconds and seconds.value):
                raise InputError(f"{place}: '{shown(text)}'; allowed: some bytes in some time; run dd for longer")
            copied.append((line, moved, seconds))
        elif match := _RECORDS.fullmatch(text):
            if match["way"]:
                records[match["way"]] += 1
        else:
            raise InputError(f"{place}: '{shown(text)}'; allowed: {_ALLOWED}")
    if not line:
        raise InputError(f"{path} has no result; put there what dd says on stderr when it ends, or run dd again")
    if not copied or len({len(copied), *records.values()} - {0}) > 1:
        raise InputError(
            f"{path}, line {line}: the file ends with {records['in']} times 'records in', {records['out']} times "
            f"'records out' and {len(copied)} times 'bytes copied'; is it cut short? run dd again"
        )
    yield _together(path, settings, copied)


_ALLOWED = (
    "what GNU dd says in English, such as '1048576 bytes (1.0 MB) copied, 0.01 s, 105 MB/s'; take the line out, "
    "or run dd again with LC_ALL=C"
)


def settings_in(path: Path) -> dict[str, str]:
    """Settings in the name of a file or folder, separated by a comma or _; InputError for any other name."""
    stem = _ENDING.sub("", path.name)
    try:
        return pairs(_BETWEEN.sub(r"\1,", stem).split(","))
    except InputError as error:
        raise InputError(f"{path}: its name says {error}; name it like users=4_block=8KiB_op=write.txt") from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines except empty ones and those that status=progress overwrites while dd runs."""
    for number, line in enumerate(read_text(path).replace("\r\n", "\n").split("\n"), 1):
        if line.strip() and "\r" not in line:
            yield number, line.strip()


def _together(path: Path, settings: dict[str, str], copied: list[tuple[int, int, Amount]]) -> Reading:
    rates = [moved / MB / seconds.value for _, moved, seconds in copied]
    rounding = [seconds.half_a_digit / seconds.value for *_, seconds in copied]
    return Reading(
        file=path,
        line=copied[0][0],
        settings=settings,
        measure="throughput",
        value=sum(rates),
        half_width=sum(rate * share for rate, share in zip(rates, rounding, strict=True)),
        unit="MB/s",
        processes=len(copied),
    )
