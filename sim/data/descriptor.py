"""The metadata files of a data package, descriptor and schema, checked key by key.

Keys of the standard that are not used are accepted; any other is refused, as it may be a typing error.
Format: https://specs.frictionlessdata.io/tabular-data-package/
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal

from pydantic import Field, field_validator

from sim.data.dataset import SCATTER, ComparingFigure, Frozen, Machines, Measurement, Selection, Text
from sim.data.shape import Shape
from sim.engine.errors import nearest, shown

SELECTIONS = ("restated", "for_fit", "never_fitted", "transfers")
"""Roles that are assigned to figures by selections."""


class Rules(Frozen, extra="forbid"):
    """Constraints on the values of a column."""

    # A constraint that is not listed here would never be enforced.
    required: Literal[True]
    enum: tuple[str | int | float, ...] | None = None
    pattern: re.Pattern[str] | None = None
    minimum: float | None = None

    @field_validator("pattern", mode="before")
    @classmethod
    def _lasting(cls, pattern: object) -> object:
        """Refuse patterns that Python warns of; pydantic reports invalid ones."""
        if isinstance(pattern, str):
            with warnings.catch_warnings(), suppress(re.error):
                warnings.simplefilter("error", FutureWarning)
                try:
                    re.compile(pattern)
                except FutureWarning as warning:
                    raise ValueError(f"allowed: a pattern without a {str(warning).lower()}") from None
        return pattern

    def fault(self, text: str, value: object) -> str | None:
        """Say what is allowed instead of ``text``, read as ``value``; None if it is allowed."""
        if self.enum and text not in (choices := [str(choice) for choice in self.enum]):
            return nearest(text, choices)
        if self.pattern and not self.pattern.fullmatch(text):
            return f"allowed: text of the form {self.pattern.pattern}"
        if self.minimum is not None and isinstance(value, int | float) and value < self.minimum:
            return f"allowed: at least {self.minimum:g}"
        return None


class Column(Frozen):
    """One column of a table."""

    name: Literal[
        "source", "table", "row", "column", "measure", "value", "unit", "half_width", "conditions", "quality"
    ]
    type: Literal["string", "integer", "number"]
    rules: Rules = Field(alias="constraints")


class Schema(Frozen):
    """The columns of a table, in order."""

    columns: tuple[Column, ...] = Field(alias="fields", max_length=10)
    key: tuple[Literal["row"], Literal["column"]] = Field(alias="primaryKey")


class Source(Frozen):
    """Publisher or measurer of the figures, with place and date."""

    title: Text


class _Described(Frozen, extra="forbid"):
    """Descriptive keys of the standard, of which only the sources are used."""

    profile: Any = None
    id: Any = None
    description: Any = None
    sources: tuple[Source, ...] = ()
    licenses: Any = None


class Resource(_Described):
    """One table. For its roles see ``Dataset``."""

    format: Any = None
    mediatype: Any = None
    encoding: Any = None
    bytes: Any = None
    hash: Any = None
    dialect: Any = None
    name: Text
    title: Text
    system: Text
    path: Text
    schema_path: Text = Field(alias="schema")
    unpredicted: dict[Text, Text] = Field(default_factory=dict)
    comparisons: dict[Text, ComparingFigure] = Field(default_factory=dict)
    restated: tuple[Selection, ...] = ()
    for_fit: tuple[Selection, ...] = ()
    never_fitted: tuple[Selection, ...] = ()
    transfers: tuple[Selection, ...] = ()
    machines: Machines | None = None
    shape: Shape | None = None
    scatter: float = Field(default=SCATTER, gt=0.0, lt=1.0)


def faults(resource: Resource, figures: Sequence[Measurement]) -> Iterator[str]:
    """Yield a phrase for each name in the roles of ``resource`` that matches none of its ``figures``."""
    cells = {figure.name for figure in figures}
    for key, names in _figures_named(resource):
        for name in names:
            if name not in cells:
                yield f"{key} of '{shown(resource.name)}' has '{shown(name)}'; {nearest(name, cells)}"
    for key in SELECTIONS:
        for selection in getattr(resource, key):
            if fault := selection.fault(figures):
                yield f"{key} of '{shown(resource.name)}', '{shown(selection.name)}' {fault}"
    if resource.machines and (fault := resource.machines.fault(figures)):
        yield f"machines of '{shown(resource.name)}' {fault}"


def _figures_named(resource: Resource) -> Iterator[tuple[str, Iterable[str]]]:
    """The figures that ``resource`` names one by one as ``row/column``, by key."""
    yield "unpredicted", resource.unpredicted
    yield "comparisons", resource.comparisons
    yield "comparisons", [name for each in resource.comparisons.values() for name in (each.of, each.to)]


class Package(_Described):
    """All tables of a data package, and their common keys."""

    name: Any = None
    title: Any = None
    homepage: Any = None
    version: Any = None
    contributors: Any = None
    keywords: Any = None
    image: Any = None
    created: Any = None
    resources: tuple[Resource, ...] = Field(min_length=1)
