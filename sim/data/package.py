"""Published measurements, read from a folder that is a Frictionless Data Package: one figure a row.

What cannot be used is refused with one line: file, line, column, what stands there and what is allowed.
Format: https://specs.frictionlessdata.io/tabular-data-package/
"""

from __future__ import annotations

import csv
import io
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from sim.data.shape import Shape
from sim.errors import InputError, nearest, shown
from sim.system.complaints import complaint

_CONDITION = re.compile(r"([a-z][a-z0-9_]*)=([^\s=]+)")
_Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f]*$")]


MIN, MAX = 1e-18, 1e18
"""Of a figure: what is smaller or larger has another unit, or is a slip of the pen."""


OWN = "own"
"""The source of a user's own measurements."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Measurement(_Frozen, extra="forbid"):
    """One published figure: ``value`` (above 0) give or take ``half_width`` (its rounding), both in ``unit``.

    ``measure`` names the answer of the system that the figure is one of, such as throughput. ``conditions`` are
    (name, text) pairs; they may be given as text such as ``"users=4 block=8KiB"``, or ``-`` for none.
    ``line`` counts from 1 in the table's file. Raises pydantic's ValidationError for what cannot be.
    """

    dataset: _Text
    source: _Text
    table: _Text
    row: _Text
    column: _Text
    measure: _Text
    value: float
    unit: _Text
    half_width: float = Field(ge=0)
    conditions: tuple[tuple[str, str], ...]
    quality: _Text
    line: int

    @field_validator("value")
    @classmethod
    def _of_this_world(cls, value: float) -> float:
        if not MIN <= value <= MAX:
            raise ValueError(f"allowed: a number above 0, from {MIN:g} to {MAX:g} in its unit")
        return value

    @field_validator("half_width")
    @classmethod
    def _at_most_value(cls, half_width: float, info: ValidationInfo) -> float:
        if half_width > info.data.get("value", half_width):
            raise ValueError(f"allowed: at most the value, {info.data['value']:g}")
        return half_width

    @field_validator("conditions", mode="before")
    @classmethod
    def _parsed(cls, conditions: object) -> object:
        if not isinstance(conditions, str):
            return conditions
        if conditions == "-":
            return ()
        pairs: dict[str, str] = {}
        for part in conditions.split(" "):
            match = _CONDITION.fullmatch(part)
            if match is None or match[1] in pairs:
                raise ValueError(
                    f"'{shown(part)}' is wrong; allowed: name=value, one space between, each name once; - for none"
                )
            pairs[match[1]] = match[2]
        return tuple(pairs.items())

    @property
    def cell(self) -> str:
        """The name by which a parameter refers to the figure."""
        return f"{self.dataset}/{self.row}/{self.column}"


SCATTER = 0.04
"""Of a dataset that does not say: runs of a benchmark repeat to some per cent."""


class Selection(_Frozen, extra="forbid"):
    """Figures of a dataset that have something in common, which ``name`` says.

    They are those whose condition ``setting`` is one of ``values``; besides conditions, a ``measure``, and a
    ``figure`` by ``row/column``.
    """

    name: _Text
    setting: _Text
    values: tuple[_Text, ...] = Field(min_length=1)

    def holds(self, figure: Measurement) -> bool:
        """Whether ``figure`` is one of them."""
        known = {"measure": figure.measure, "figure": f"{figure.row}/{figure.column}", **dict(figure.conditions)}
        return known.get(self.setting) in self.values


class Comparison(_Frozen, extra="forbid"):
    """A figure that compares two others of its dataset, each named as ``row/column``.

    Attributes:
        says: by how many per cent ``of`` is below (*saved*) or above (*added*) ``to``.
    """

    says: Literal["saved", "added"]
    of: _Text
    to: _Text

    def value(self, of: float, to: float) -> float:
        """In per cent."""
        return 100.0 * (of / to - 1.0) * (-1.0 if self.says == "saved" else 1.0)


class Dataset(_Frozen, extra="forbid"):
    """One table of measurements; ``system`` names the model that they calibrate.

    Attributes:
        unpredicted: why no model predicts a figure, by ``row/column``.
        comparisons: figures that compare two others, by ``row/column``; predicted from the predictions of both.
        restated: figures that say nothing new: they follow from others, or could not be missed; each with why.
        never_fitted: figures that no fit may see, so that they stay a test.
        transfers: tests of a fit by what it says of conditions that it has not seen, held out all at once.
        shape: what a curve without mechanism has to know of the settings, to be compared with a fit.
        scatter: by what share figures differ that should be alike, beyond their rounding; weighs them in a fit.
    """

    name: str
    title: str
    system: str
    measurements: tuple[Measurement, ...]
    unpredicted: dict[str, str] = Field(default_factory=dict)
    comparisons: dict[str, Comparison] = Field(default_factory=dict)
    restated: tuple[Selection, ...] = ()
    never_fitted: tuple[Selection, ...] = ()
    transfers: tuple[Selection, ...] = ()
    shape: Shape | None = None
    scatter: float = SCATTER

    @property
    def own(self) -> bool:
        """Whether these are a user's own measurements, not published ones."""
        return all(each.source == OWN for each in self.measurements)

    def fitted(self) -> list[Measurement]:
        """The figures that a fit may see."""
        return [each for each in self.predicted() if not any(held.holds(each) for held in self.never_fitted)]

    def predicted(self) -> list[Measurement]:
        """The figures that the system predicts, without those that compare others."""
        return [each for each in self.measurements if not (self.why_unpredicted(each) or self.comparison(each))]

    def comparison(self, figure: Measurement) -> Comparison | None:
        """Which others ``figure`` compares; None for any other figure."""
        return self.comparisons.get(f"{figure.row}/{figure.column}")

    def why_unpredicted(self, figure: Measurement) -> str | None:
        """The reason why no model predicts ``figure``; None for one that is predicted."""
        return self.unpredicted.get(f"{figure.row}/{figure.column}")

    def why_restated(self, figure: Measurement) -> str | None:
        """What makes ``figure`` say nothing that others do not say; None where nothing does."""
        return next((each.name for each in self.restated if each.holds(figure)), None)


class _Rules(_Frozen, extra="forbid"):  # a constraint that is not listed here would never be enforced
    required: Literal[True]
    enum: tuple[str | int | float, ...] | None = None
    pattern: re.Pattern[str] | None = None
    minimum: float | None = None

    @field_validator("pattern", mode="before")
    @classmethod
    def _lasting(cls, pattern: object) -> object:
        """Refuse what Python warns of; pydantic tells of what is no pattern at all."""
        if isinstance(pattern, str):
            with warnings.catch_warnings(), suppress(re.error):
                warnings.simplefilter("error", FutureWarning)
                try:
                    re.compile(pattern)
                except FutureWarning as warning:
                    raise ValueError(f"allowed: a pattern without a {str(warning).lower()}") from None
        return pattern

    def fault(self, text: str, value: object) -> str | None:
        """Say what is allowed instead of ``text``, read as ``value``; None where it keeps the rules."""
        if self.enum and text not in (choices := [str(choice) for choice in self.enum]):
            return nearest(text, choices)
        if self.pattern and not self.pattern.fullmatch(text):
            return f"allowed: text of the form {self.pattern.pattern}"
        if self.minimum is not None and isinstance(value, int | float) and value < self.minimum:
            return f"allowed: at least {self.minimum:g}"
        return None


class _Column(_Frozen):
    name: Literal[
        "source", "table", "row", "column", "measure", "value", "unit", "half_width", "conditions", "quality"
    ]
    type: Literal["string", "integer", "number"]
    rules: _Rules = Field(alias="constraints")


class _Schema(_Frozen):
    columns: tuple[_Column, ...] = Field(alias="fields", max_length=10)
    key: tuple[Literal["row"], Literal["column"]] = Field(alias="primaryKey")


class _Resource(_Frozen):
    name: _Text
    title: _Text
    system: _Text
    path: _Text
    schema_path: _Text = Field(alias="schema")
    unpredicted: dict[_Text, _Text] = Field(default_factory=dict)
    comparisons: dict[_Text, Comparison] = Field(default_factory=dict)
    restated: tuple[Selection, ...] = ()
    never_fitted: tuple[Selection, ...] = ()
    transfers: tuple[Selection, ...] = ()
    shape: Shape | None = None
    scatter: float = Field(default=SCATTER, gt=0.0, lt=1.0)


def _named(resource: _Resource) -> Iterator[tuple[str, Iterable[str]]]:
    """The figures that ``resource`` names as ``row/column``, by the key that names them."""
    yield "unpredicted", resource.unpredicted
    yield "comparisons", resource.comparisons
    yield "comparisons", [cell for each in resource.comparisons.values() for cell in (each.of, each.to)]
    yield "restated", [cell for each in resource.restated if each.setting == "figure" for cell in each.values]


class _Package(_Frozen):
    resources: tuple[_Resource, ...] = Field(min_length=1)


Refused = Callable[[InputError], None]
"""What is done with a figure that cannot be used."""


def _raised(refusal: InputError) -> None:
    raise refusal


class DataPackage:
    """The data sets of a ``folder``; InputError (one line) for whatever cannot be used in its files."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "datapackage.json"
        resources = _parsed(_Package, self._file).resources
        self._resources = {resource.name: resource for resource in resources}
        if len(self._resources) < len(resources):
            names = [resource.name for resource in resources]
            raise InputError(f"{self._file}, resources are {names}; allowed: each name once; rename one")

    def names(self) -> tuple[str, ...]:
        """Return the names of the data sets, in the order of the descriptor."""
        return tuple(self._resources)

    def table(self, name: str) -> Path:
        """Return the file of the data set ``name``."""
        return self._beside(self._resources[name].path)

    def read(self, name: str, refused: Refused = _raised) -> Dataset:
        """Return the data set ``name`` with every cell checked; InputError as for the class.

        Args:
            refused: told of each figure that cannot be used, which is then passed over.
        """
        if name not in self._resources:
            raise InputError(
                f"{self._file}, no data set is named '{shown(name)}'; {nearest(name, self._resources)}"
            )
        resource = self._resources[name]
        schema = _parsed(_Schema, self._beside(resource.schema_path))
        path = self._beside(resource.path)
        figures = tuple(_measurements(path, name, schema.columns, refused))
        cells = [f"{figure.row}/{figure.column}" for figure in figures]
        for key, named in _named(resource):
            for cell in named:
                if cell not in cells:
                    raise InputError(
                        f"{self._file}, {key} of '{shown(name)}' has '{shown(cell)}'; {nearest(cell, cells)}"
                    )
        return Dataset(
            name=name,
            title=resource.title,
            system=resource.system,
            measurements=figures,
            unpredicted=resource.unpredicted,
            comparisons=resource.comparisons,
            restated=resource.restated,
            never_fitted=resource.never_fitted,
            transfers=resource.transfers,
            shape=resource.shape,
            scatter=resource.scatter,
        )

    def _beside(self, path: str) -> Path:
        file = self._file.parent / path
        if not file.resolve().is_relative_to(self._file.parent.resolve()):
            raise InputError(f"{self._file}, path is '{shown(path)}'; allowed: a file in the same folder")
        return file


_Parsed = TypeVar("_Parsed", bound=BaseModel)


def _parsed(kind: type[_Parsed], path: Path) -> _Parsed:
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        raise InputError(f"{path}, {complaint(error, kind)}; mend this entry") from None


def _measurements(
    path: Path, dataset: str, columns: tuple[_Column, ...], refused: Refused
) -> Iterator[Measurement]:
    (_, header), *rows = read_rows(path) or [(1, [])]
    names = [column.name for column in columns]
    for number, (written, wanted) in enumerate(zip_longest(header, names, fillvalue="nothing"), 1):
        if written != wanted:
            raise InputError(f"{path}, line 1, column {number} is '{shown(written)}'; the schema says {wanted!r}")
    if not rows:
        raise InputError(f"{path}, line 2 is absent; allowed: at least one row; is the file cut short?")
    lines: dict[tuple[str, str], int] = {}
    for line, cells in rows:
        try:
            figure = _measurement(f"{path}, line {line}", line, cells, dataset, columns)
        except InputError as refusal:
            refused(refusal)
            continue
        key = (figure.row, figure.column)
        if lines.setdefault(key, line) != line:
            twice = f"{path}, line {line} has the key {shown(key)} of line {lines[key]}; take one out"
            refused(InputError(twice))
        else:
            yield figure


def _measurement(
    place: str, line: int, cells: list[str], dataset: str, columns: tuple[_Column, ...]
) -> Measurement:
    if len(cells) != len(columns):
        raise InputError(f"{place} has {len(cells)} cells; allowed: {len(columns)}; is the file cut short?")
    texts = {column.name: text for column, text in zip(columns, cells, strict=True)}
    try:
        figure = Measurement.model_validate({"dataset": dataset, "line": line, **texts})
    except ValidationError as error:
        raise InputError(f"{place}, column {complaint(error, Measurement)}; mend this cell") from None
    for column, text in zip(columns, cells, strict=True):
        if fault := column.rules.fault(text, getattr(figure, column.name)):
            raise InputError(f"{place}, column {column.name} is '{shown(text)}'; {fault}; mend this cell")
    return figure


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of a CSV file, each row with the number of its line; InputError as for ``read_text``."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        return [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quote left open?") from None


def read_text(path: Path) -> str:
    """All of a UTF-8 file; InputError with path and line for what is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe may wait for ever
            raise InputError(f"{path} is {'a folder' if path.is_dir() else 'no regular file'}; name a file")
        return path.read_bytes().decode("utf-8-sig")  # spreadsheets begin with a byte-order mark
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
        raise InputError(f"{path}, line {line} has the byte {byte:#04x}; save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; put the file there") from None
