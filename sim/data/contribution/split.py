"""The split of a contribution into fitted and held-out figures: the file ``split.toml``.

It is a file of its own so that it can be committed before anything is fitted, and its history shows that it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from sim.data.contribution.meta import as_text, checked
from sim.data.dataset import Frozen, Measurement, Selection, Text, said
from sim.engine.errors import InputError, nearest, shown
from sim.system.system import System

SPLIT = "split.toml"

MEASURE = "measure"
"""Key by which a part names answers; every other key is a setting."""


Values = Annotated[tuple[str, ...], Field(min_length=1)]


class Part(Frozen, extra="forbid"):
    """Figures that match ``where``: for each name, one of its values."""

    name: Text
    where: dict[str, Values] = Field(min_length=1)

    @field_validator("where", mode="before")
    @classmethod
    def _as_lists(cls, where: object) -> object:
        if not isinstance(where, dict):
            return where
        lists = {name: value if isinstance(value, list) else [value] for name, value in where.items()}
        return {name: [as_text(each) for each in values] for name, values in lists.items()}

    def holds(self, figure: Measurement) -> bool:
        """True if ``figure`` belongs to the part."""
        known = said(figure)
        return all(known.get(name) in values for name, values in self.where.items())


class Split(Frozen, extra="forbid"):
    """Parts to fit and parts held out as a test: each figure that adds information is on one side."""

    fitted: tuple[Part, ...] = ()
    apart: tuple[Part, ...] = Field(min_length=1)


def read_split(folder: Path, system: System) -> Split:
    """The split of the contribution in ``folder``, with values in the notation of ``system``.

    Raises:
        InputError: the file is missing, or an entry of it is not usable.
    """
    path = folder / SPLIT
    split = checked(Split, path)
    fitted, apart = (
        tuple(_written(path, part, system) for part in parts) for parts in (split.fitted, split.apart)
    )
    return Split(fitted=fitted, apart=apart)


def _written(path: Path, part: Part, system: System) -> Part:
    settings = {each.name: each for each in system.settings}
    where: dict[str, list[str]] = {}
    for name, values in part.where.items():
        if name not in (*settings, MEASURE):
            raise InputError(
                f"{path}, '{shown(part.name)}': no setting '{shown(name)}'; {nearest(name, (*settings, MEASURE))}"
            )
        try:
            where[name] = [*values] if name == MEASURE else [_canonical(settings[name], each) for each in values]
        except InputError as refusal:
            raise InputError(f"{path}, '{shown(part.name)}': {refusal}") from None
    return part.model_copy(update={"where": {name: tuple(values) for name, values in where.items()}})


def _canonical(setting: Any, text: str) -> str:
    return str(setting.show(setting.parse(text)))


def roles(
    path: Path, split: Split, figures: Sequence[Measurement], refused: Callable[[InputError], None]
) -> Mapping[str, tuple[Selection, ...]]:
    """The figures of each side, ``fitted`` and ``apart``; those on no side, or on both, are ``refused``."""
    for fault in (*_sides(split, figures), *_empty(split, figures)):
        refused(InputError(f"{path}, {fault}"))
    return {"fitted": _named(split.fitted, figures), "apart": _named(split.apart, figures)}


def _sides(split: Split, figures: Sequence[Measurement]) -> Iterator[str]:
    for figure in figures:
        fitted, apart = (
            next((part.name for part in parts if part.holds(figure)), None)
            for parts in (split.fitted, split.apart)
        )
        if fitted is None and apart is None:
            yield f"'{shown(figure.name)}' is in no part; write whether it is fitted or kept apart"
        elif fitted is not None and apart is not None:
            yield f"'{shown(figure.name)}' is fitted in '{shown(fitted)}' and apart in '{shown(apart)}'; decide"


def _empty(split: Split, figures: Sequence[Measurement]) -> Iterator[str]:
    """Yield parts and values that match no figure, which may be typing errors."""
    for part in (*split.fitted, *split.apart) if figures else ():
        named = (Selection(name=part.name, setting=name, values=values) for name, values in part.where.items())
        faults = [fault for each in named if (fault := each.fault(figures))]
        if not faults and not any(map(part.holds, figures)):
            faults = ["holds no figure; take it out, or fix its values"]
        yield from (f"'{shown(part.name)}' {fault}" for fault in faults)


def _named(parts: Sequence[Part], figures: Sequence[Measurement]) -> tuple[Selection, ...]:
    """Selections that list each part's figures by name, so that later measurements do not slip in."""
    held = [(part.name, tuple(each.name for each in figures if part.holds(each))) for part in parts]
    return tuple(Selection(name=name, setting="figure", values=names) for name, names in held if names)
