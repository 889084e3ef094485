"""What a contribution is about: the file ``meta.toml``, checked key by key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from sim.data.dataset import SCATTER, Frozen, Text
from sim.data.hardware.dates import days_of
from sim.errors import InputError, shown
from sim.files import read_toml
from sim.system.complaints import complaint, form
from sim.system.installed import in_file

META = "meta.toml"


class Meta(Frozen, extra="forbid"):
    """What was measured, when, on what, and by whom.

    Attributes:
        name: of the dataset.
        measured: a year, a month or a day.
        source: where the results may be read, or how they were obtained.
        licence: its short name in the SPDX list, such as CC-BY-4.0.
        software: what was run, with versions, from the tool down to the kernel.
        system: the name of an installed system, or a stack file or ``FILE.py:NAME`` of the folder.
        quality: grade of the figures, as in the schema of a data package.
        scatter: by what share two runs of the same differ, one standard deviation.
        settings: those that all runs have in common.
    """

    name: Annotated[str, form(r"[a-z0-9][a-z0-9-]{0,59}", "small letters, digits and -, such as our-servers")]
    title: Text
    description: Text | None = None
    measured: str
    by: Text
    source: Text
    licence: Annotated[str, form(r"[A-Za-z0-9][A-Za-z0-9.+-]*", "the short name of a licence, such as CC-BY-4.0")]
    machine: Text
    software: Text
    system: Text
    quality: Literal["A", "B", "C"]
    scatter: float = Field(default=SCATTER, gt=0.0, lt=1.0)
    settings: dict[str, str] = Field(default_factory=dict)

    @field_validator("name")
    @classmethod
    def _not_taken(cls, name: str) -> str:
        if name == "figures":  # whose table would take the place of the one that was brought
            raise ValueError("allowed: any other name")
        return name

    @field_validator("measured")
    @classmethod
    def _dated(cls, text: str) -> str:
        days_of(text)
        return text

    @field_validator("settings", mode="before")
    @classmethod
    def _as_texts(cls, settings: object) -> object:
        return (
            {name: as_text(value) for name, value in settings.items()} if isinstance(settings, dict) else settings
        )


def read_meta(folder: Path) -> Meta:
    """What the contribution in ``folder`` is about.

    Raises:
        InputError: the file is missing, or an entry of it is not usable.
    """
    meta = checked(Meta, folder / META)
    if in_file(meta.system) and Path(meta.system).name != meta.system:
        raise InputError(
            f"{folder / META}, system is '{shown(meta.system)}'; allowed: a file in the same folder; copy it there"
        )
    return meta


def system_of(folder: Path, meta: Meta) -> str:
    """The name by which the system of the contribution in ``folder`` is found."""
    return str(folder / meta.system) if in_file(meta.system) else meta.system


_Checked = TypeVar("_Checked", bound=BaseModel)


def checked(kind: type[_Checked], path: Path) -> _Checked:
    """The TOML file ``path`` as a ``kind``; InputError, one line, for whatever it cannot be."""
    if not path.exists():
        raise InputError(f"{path} is missing; write it")
    try:
        return kind.model_validate(read_toml("contribution", path).tables)
    except ValidationError as error:
        raise InputError(f"{path}, {complaint(error, kind)}; fix this entry") from None


def as_text(value: object) -> object:
    """A value of a setting as the command takes it; what is neither text, number nor yes or no stays as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value
