"""Conversion of a tool's or a user's figures to measurements that a system's predictions are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sim.data.arithmetic import follows
from sim.data.dataset import OWN, Dataset, Measurement, Selection
from sim.data.importers.told import CLOSE
from sim.engine.errors import InputError, nearest, shown
from sim.engine.units import bytes_of, factor, ios_per_second, per_second, size_text
from sim.engine.units.text import figure_text, number_text
from sim.system.complaints import complaint
from sim.system.scenario import LATENCIES
from sim.system.settings import Choice, Setting, Values, complete
from sim.system.system import System

PROCESSES = ("processes", "clients")
"""Roles of settings that say how many processes work on each machine; fio's ``numjobs`` is the first of them."""


@dataclass(frozen=True)
class Reading:
    """One figure as it was written: ``value`` ± ``half_width``, in ``unit``.

    Attributes:
        file, line: its place; ``line`` counts from 1.
        settings: the settings that the file states, as the command takes them.
        processes: the number of processes measured together, if the file states it.
        of_tool: True if a tool reports it among others, so that a system need not have such an answer.
        part: the subject within a file that covers several: a device, a run, a call.
        follows: the other figures of the file that it follows from, if any.
        request_bytes: mean bytes of an I/O as a device saw it; 0 if not reported, or of several devices.
    """

    file: Path
    line: int
    settings: Mapping[str, str]
    measure: str
    value: float
    half_width: float
    unit: str
    processes: int | None = None
    of_tool: bool = False
    part: str = ""
    follows: str = ""
    request_bytes: float = 0.0

    @property
    def place(self) -> str:
        """File and line, for a message."""
        return f"{self.file}, line {self.line}"


def dataset(name: str, readings: Iterable[Reading], system: System, common: Values) -> Dataset:
    """Convert all ``readings`` to measurements of ``system``; other settings are ``common`` or default.

    Raises:
        InputError: one line with file and line for the first reading that cannot be used.
    """
    complete(system.settings, common)
    first: dict[tuple[Any, ...], Reading] = {}
    figures, following, remarks = [], dict[str, list[str]](), dict[str, None]()
    reading = None
    for written in readings:
        reading = sized(written, system, common)
        settings = settings_of(reading, system, common)
        if not answered(reading, system.scenario(settings).units):
            continue
        if reading is not written:
            remarks[_sized_by(reading, written)] = None
        other = first.setdefault((reading.measure, *settings.values()), reading)
        if other is not reading:
            raise InputError(_twice(reading, other))
        figures.append(measurement(name, reading, settings, system, common))
        if reading.follows:
            following.setdefault(reading.follows, []).append(figures[-1].name)
    if reading and not figures:
        raise InputError(f"{reading.file} tells nothing that system '{system.name}' answers; name another system")
    restated = _restated(figures, following) if reading and reading.of_tool else ()
    return Dataset(
        name=name,
        title=f"Own measurements: {name}",
        system=system.name,
        measurements=tuple(figures),
        restated=restated,
        never_fitted=restated,
        remarks=tuple(remarks),
    )


def _restated(figures: Iterable[Measurement], following: Mapping[str, Sequence[str]]) -> tuple[Selection, ...]:
    """Figures of a tool that follow from others of it, by reason."""
    return tuple(
        Selection(name=why, setting="figure", values=tuple(names))
        for why, names in (*follows(figures).items(), *following.items())
    )


def answered(reading: Reading, units: Mapping[str, str]) -> bool:
    """True if a system with answers in these ``units`` answers the measure of ``reading``.

    Figures of users themselves are never skipped.
    """
    if not reading.of_tool:
        return True
    return reading.measure in units and scale_of(reading.unit, units[reading.measure]) is not None


def _twice(reading: Reading, other: Reading) -> str:
    """Message for two readings of one measure under the same settings."""
    message = f"{reading.place} measures {_words(reading.measure)} under the same settings as {other.place}"
    if reading.part != other.part and reading.file == other.file:
        one, two = shown(other.part), shown(reading.part)
        return f"{message}: {one} and {two}; say which is meant: {reading.file}:{one}"
    return f"{message}; keep one, or their mean with its half_width"


def settings_of(reading: Reading, system: System, common: Values) -> dict[str, Any]:
    """Value of each setting: as ``reading`` states it, else ``common``, else default; InputError as above."""
    for name, text in reading.settings.items():
        if name in common and not _same(system, name, text, common[name]):
            raise InputError(
                f"{reading.place}: {name} is '{shown(text)}', yet {name}={common[name]} is given; leave one out"
            )
    try:
        settings = complete(system.settings, {**common, **reading.settings})
    except InputError as error:
        raise InputError(f"{reading.place}: {error}; fix this setting") from None
    _check_processes(reading, settings, system)
    return settings


def sized(reading: Reading, system: System, common: Values) -> Reading:
    """``reading`` with the block size of its I/Os, if ``system`` has such a setting and it is not stated.

    Raises:
        InputError: the setting cannot be of that size; names it.
    """
    setting = next(iter(system.settings.of_role("block")), None)
    if not setting or not reading.request_bytes or setting.name in {**common, **reading.settings}:
        return reading
    if not answered(reading, system.scenario(settings_of(reading, system, common)).units):
        return reading
    text = next(_blocks(setting, reading.request_bytes), None)
    if text is None:
        near = setting.allowed if isinstance(setting, Choice) else "a power of two that it may have"
        mean = figure_text(reading.request_bytes, "bytes")
        raise InputError(
            f"{reading.place}: its I/Os have {mean} in the mean; allowed for {setting.name}: within {CLOSE:.0%} "
            f"of {near}; give {setting.name}=…, the size of a request"
        )
    return replace(reading, settings={**reading.settings, setting.name: text})


def _blocks(setting: Setting, mean_bytes: float) -> Iterator[str]:
    """Yield each block size that ``setting`` allows and that is close to the mean."""
    power = size_text(2 ** max(0, round(math.log2(mean_bytes))))
    for text in setting.options if isinstance(setting, Choice) else (power,):
        try:
            setting.parse(text)
            size = bytes_of(setting.name, text)
        except InputError:  # beyond the range, or a word that is no size
            continue
        if abs(mean_bytes / size - 1.0) <= CLOSE:
            yield text


def _sized_by(reading: Reading, written: Reading) -> str:
    """Remark on the block size that ``written`` did not have."""
    ((name, text),) = reading.settings.items() - written.settings.items()
    return (
        f"{name}={text} is the mean size of the I/Os in {reading.file}; if requests are merged or split on the "
        f"way to the device, give {name}=…"
    )


def processes_of(system: System) -> Setting | None:
    """The setting that says how many processes work on each machine; None where none does."""
    return next(iter(system.settings.of_role(*PROCESSES)), None)


def _same(system: System, name: str, one: object, other: object) -> bool:
    """True if both texts give the setting ``name`` one value."""
    return complete(system.settings, {name: one}) == complete(system.settings, {name: other})


def _check_processes(reading: Reading, settings: Mapping[str, Any], system: System) -> None:
    if reading.processes is None:
        return
    counted = {each.name: settings[each.name] for each in system.settings.of_role("nodes", *PROCESSES, "threads")}
    if math.prod(counted.values()) != reading.processes:
        written = " ".join(f"{name}={value}" for name, value in counted.items()) or "the system"
        raise InputError(
            f"{reading.place}: results of {reading.processes} processes; {written} means "
            f"{math.prod(counted.values())}; is the file cut short, or a setting wrong?"
        )


def measurement(
    name: str, reading: Reading, settings: Mapping[str, Any], system: System, common: Values
) -> Measurement:
    """Convert ``reading`` to a figure of data set ``name``, in the unit of ``system``; InputError as above."""
    units = system.scenario(settings).units
    if reading.measure not in units:
        raise InputError(
            f"{reading.place}: measure is '{shown(reading.measure)}'; {nearest(reading.measure, units)} "
            f"({', '.join(LATENCIES)}: of latency)"
        )
    unit = units[reading.measure]
    scale = scale_of(reading.unit, unit)
    if scale is None:
        raise InputError(
            f"{reading.place}: unit is '{shown(reading.unit)}'; allowed for {_words(reading.measure)}: {unit}, or "
            f"one that can be converted to it; fix the unit"
        )
    value, half_width = reading.value * scale, reading.half_width * scale
    _check_ceilings(reading, settings, system, value - half_width, unit)
    written = {**common, **reading.settings}
    conditions = tuple(
        (each.name, each.show(settings[each.name])) for each in system.settings if each.name in written
    )
    try:
        return Measurement(
            dataset=name,
            source=OWN,
            table=reading.file.name,
            row=" ".join(f"{name}={text}" for name, text in conditions) or "-",
            column=_words(reading.measure),
            measure=reading.measure,
            value=value,
            unit=unit,
            half_width=half_width,
            conditions=conditions,
            quality="own",
            line=reading.line,
        )
    except ValidationError as error:
        raise InputError(f"{reading.place}: {complaint(error, Measurement)}; fix this figure") from None


def scale_of(unit: str, into: str) -> float | None:
    """Number of ``into`` in one ``unit``, rates of I/Os among them; None if they are of different kinds.

    A bare rate, ``1/s``, converts to a rate of anything.
    """
    rate = per_second if "1/s" in (unit, into) else ios_per_second
    ours, theirs = rate(unit), rate(into)
    if ours and theirs:
        return ours / theirs
    return factor(unit, into)


def _check_ceilings(
    reading: Reading, settings: Mapping[str, Any], system: System, least: float, unit: str
) -> None:
    for ceiling in system.limits(settings):
        if ceiling.measure == reading.measure and least > ceiling.most:
            raise InputError(
                f"{reading.place}: {_words(reading.measure)} is {number_text(reading.value, 6)} {reading.unit}; "
                f"allowed: at most {number_text(ceiling.most, 6)} {unit} ({ceiling.why}); fix the figure, its "
                "unit or the settings"
            )


def _words(measure: str) -> str:
    """Text name of ``measure``."""
    return LATENCIES.get(measure, measure)
