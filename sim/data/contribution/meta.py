"""The description of a contribution: the file ``meta.toml``, checked key by key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from sim.data.dataset import SCATTER, Frozen, Text
from sim.data.hardware.dates import days_of
from sim.engine.errors import InputError, shown
from sim.engine.files import read_toml
from sim.system.complaints import complaint, form
from sim.system.installed import in_file

META = "meta.toml"


class Meta(Frozen, extra="forbid"):
    """Subject, date, machine and author of the measurements.

    Attributes:
        name: name of the dataset.
        measured: a year, a month or a day.
        source: where the results may be read, or how they were obtained.
        licence: its short name in the SPDX list, such as CC-BY-4.0.
        software: the software in use, with versions, from the tool down to the kernel.
        system: the name of an installed system, or a stack file or ``FILE.py:NAME`` of the folder.
        quality: grade of the figures, as in the schema of a data package.
        scatter: run-to-run variation, one standard deviation as a share.
        settings: settings that all runs have in common.
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
        if name == "figures":  # its table would overwrite the contributed one
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
    """Read the description of the contribution in ``folder``.

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
    """The name by which to look up the system of the contribution in ``folder``."""
    return str(folder / meta.system) if in_file(meta.system) else meta.system


_Checked = TypeVar("_Checked", bound=BaseModel)


def checked(kind: type[_Checked], path: Path) -> _Checked:
    """Read the TOML file ``path`` as a ``kind``; any fault is an InputError of one line."""
    if not path.exists():
        raise InputError(f"{path} is missing; write it")
    try:
        return kind.model_validate(read_toml("contribution", path).tables)
    except ValidationError as error:
        raise InputError(f"{path}, {complaint(error, kind)}; fix this entry") from None


def as_text(value: object) -> object:
    """A setting's value as the command takes it; values that are no text, number or boolean are unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value
