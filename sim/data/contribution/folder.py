"""A contribution as a dataset of figures of its system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.data.arithmetic import follows
from sim.data.contribution.meta import META, Meta, read_meta, system_of
from sim.data.contribution.results import readings
from sim.data.contribution.split import SPLIT, read_split, roles
from sim.data.dataset import Dataset, Measurement, Selection
from sim.data.importers.figures import answered, measurement, settings_of, sized
from sim.data.package import Refused, raised
from sim.engine.errors import InputError, StacksimError
from sim.system.installed import find
from sim.system.settings import parsed
from sim.system.system import System


def is_contribution(folder: Path) -> bool:
    """True if ``folder`` has a file that describes it."""
    return (folder / META).is_file()


def read_folder(folder: Path, refused: Refused = raised) -> Dataset:
    """Read the contribution in ``folder``; figures that follow from others are ``restated``, on no side.

    Args:
        refused: called with each unusable figure, which is skipped, and each fault of the split.

    Raises:
        InputError: its description, its system or its split cannot be read.
    """
    meta = read_meta(folder)
    system = _system(folder, meta)
    split = read_split(folder, system)
    figures = tuple(_figures(folder, meta, system, refused))
    restated = tuple(
        Selection(name=why, setting="figure", values=names) for why, names in follows(figures).items()
    )
    telling = [figure for figure in figures if not any(each.holds(figure) for each in restated)]
    sides = roles(folder / SPLIT, split, telling, refused)
    return Dataset(
        name=meta.name,
        title=meta.title,
        system=system_of(folder, meta),
        measurements=figures,
        restated=restated,
        for_fit=sides["fitted"],
        never_fitted=(*sides["apart"], *restated),
        scatter=meta.scatter,
        sources=(f"{meta.by}, {meta.measured}: {meta.source}",),
    )


def _system(folder: Path, meta: Meta) -> System:
    """The system of the contribution, with the settings that all runs share."""
    try:
        system = find(system_of(folder, meta))
        parsed(system.settings, meta.settings)
    except StacksimError as error:
        raise InputError(f"{folder / META}: {error}") from None
    return system


def _figures(folder: Path, meta: Meta, system: System, refused: Refused) -> Iterator[Measurement]:
    """Yield each figure; repeated runs are numbered."""
    runs: Counter[tuple[Any, ...]] = Counter()
    for written in readings(folder, system, refused):
        try:
            reading = sized(written, system, meta.settings)
            settings = settings_of(reading, system, meta.settings)
            if not answered(reading, system.scenario(settings).units):
                continue
            figure = measurement(meta.name, reading, settings, system, meta.settings)
        except InputError as refusal:
            refused(refusal)
            continue
        key = (figure.measure, figure.conditions)
        runs[key] += 1
        yield figure.model_copy(
            update={
                "source": meta.name,
                "table": reading.file.relative_to(folder).as_posix(),
                "row": figure.row if runs[key] == 1 else f"{figure.row} repeat {runs[key]}",
                "quality": meta.quality,
            }
        )
