"""Published measurements: tables of figures, each with its source cell, its rounding and its conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, WrapValidator, field_validator
from pydantic_core import PydanticKnownError

from sim.data.shape import Shape
from sim.engine.errors import nearest, shown
from sim.engine.units.reading import number
from sim.system.complaints import form

_CONDITION = re.compile(r"([a-z][a-z0-9_]*)=([^\s=]+)")
Text = Annotated[str, form(r"[^\x00-\x1f]+", "text on one line, not empty")]
"""Non-empty text on one line."""


def _as_everywhere(raw: object, read: Callable[[object], float]) -> float:
    value = read(raw)
    if isinstance(raw, str) and number(raw.strip(), signed=True) is None:  # pydantic would read 1_000, too
        raise PydanticKnownError("float_parsing")
    return value


Figure = Annotated[float, WrapValidator(_as_everywhere)]
"""A number, or its text in a table."""

MIN, MAX = 1e-18, 1e18
"""Bounds of a figure: a value outside has the wrong unit or a typing error."""


OWN = "own"
"""Name of the source of a user's own measurements."""


class Frozen(BaseModel):
    """An immutable record that is validated when it is made."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Measurement(Frozen, extra="forbid"):
    """One published figure: ``value`` (above 0) ± ``half_width`` (its rounding), both in ``unit``.

    ``measure`` names the answer of the system that the figure measures, such as throughput. ``conditions`` are
    (name, text) pairs; they may be given as text such as ``"users=4 block=8KiB"``, or ``-`` for none.
    ``line`` counts from 1 in the table's file. Raises pydantic's ValidationError for impossible values.
    """

    dataset: Text
    source: Text
    table: Text
    row: Text
    column: Text
    measure: Text
    value: Figure
    unit: Text
    half_width: Figure = Field(ge=0)
    conditions: tuple[tuple[str, str], ...]
    quality: Text
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
    def name(self) -> str:
        """The name of the figure within its dataset, as ``row/column``."""
        return f"{self.row}/{self.column}"

    @property
    def cell(self) -> str:
        """The name by which a parameter refers to the figure."""
        return f"{self.dataset}/{self.name}"


SCATTER = 0.04
"""Default scatter of a dataset: runs of a benchmark repeat to some per cent."""


class Selection(Frozen, extra="forbid"):
    """Figures of a dataset with a common property, which ``name`` states.

    A figure is selected if its condition ``setting`` is one of ``values``; ``setting`` may also be ``measure``, or
    ``figure`` with values ``row/column``.
    """

    name: Text
    setting: Text
    values: tuple[Text, ...] = Field(min_length=1)

    def holds(self, figure: Measurement) -> bool:
        """True if ``figure`` is selected."""
        return said(figure).get(self.setting) in self.values

    def fault(self, figures: Sequence[Measurement]) -> str | None:
        """The name or value that matches none of ``figures``, as a phrase; None if all match."""
        names = {name for figure in figures for name in said(figure)}
        if self.setting not in names:
            return f"names setting '{shown(self.setting)}', which no figure has; {nearest(self.setting, names)}"
        values = {known[self.setting] for figure in figures if self.setting in (known := said(figure))}
        missing = next((each for each in self.values if each not in values), None)
        if missing is None:
            return None
        return f"names {self.setting} '{shown(missing)}', which no figure has; {nearest(missing, values)}"


def said(figure: Measurement) -> dict[str, str]:
    """Names and values by which a selection can match ``figure``."""
    return {"measure": figure.measure, "figure": figure.name, **dict(figure.conditions)}


class Machines(Frozen, extra="forbid"):
    """The setting that names a figure's machine, and each machine's anchors: its first measurements.

    A parameter that a machine does not share with others is called ``<machine>_<quantity>``.

    Attributes:
        left_out: machines that are left out of a fit in turn, by their value of ``setting``.
        anchors: conditions of anchors; each is a set of settings.
    """

    setting: Text
    left_out: tuple[Text, ...] = Field(min_length=1)
    anchors: tuple[dict[Text, Text], ...] = Field(min_length=1)

    def of(self, figure: Measurement) -> str | None:
        """The machine of ``figure``; None if its conditions name none."""
        return dict(figure.conditions).get(self.setting)

    def anchor(self, figure: Measurement) -> bool:
        """True if ``figure`` is an anchor of its machine."""
        conditions = dict(figure.conditions)
        return any(each.items() <= conditions.items() for each in self.anchors)

    def fault(self, figures: Sequence[Measurement]) -> str | None:
        """The reason why ``figures`` do not suffice, as a phrase; None if each machine has anchors and others."""
        if fault := Selection(name="machines", setting=self.setting, values=self.left_out).fault(figures):
            return fault
        for machine in self.left_out:
            anchors = {self.anchor(each) for each in figures if self.of(each) == machine}
            if len(anchors) == 1:
                return f"has {'nothing but' if anchors == {True} else 'no'} anchors of '{shown(machine)}'"
        return None


class ComparingFigure(Frozen, extra="forbid"):
    """A figure that compares two others of its dataset, each named as ``row/column``.

    Attributes:
        says: *saved* if the figure is the per cent by which ``of`` is below ``to``, *added* if above.
    """

    says: Literal["saved", "added"]
    of: Text
    to: Text

    def value(self, of: float, to: float) -> float:
        """The difference between ``of`` and ``to`` in per cent."""
        return 100.0 * (of / to - 1.0) * (-1.0 if self.says == "saved" else 1.0)


class Dataset(Frozen, extra="forbid"):
    """One table of measurements; ``system`` names the model that they calibrate.

    Attributes:
        unpredicted: why no model predicts a figure, by ``row/column``.
        comparisons: figures that compare two others, by ``row/column``; predicted from the predictions of both.
        restated: figures without new information: they follow from others, or cannot be missed; by reason.
        for_fit: figures assigned to fits beforehand: they test no model.
        never_fitted: figures that no fit may see, so that they stay a test.
        transfers: tests of a fit by figures under unseen conditions, each held out as a whole.
        machines: assignment of figures to machines; each is left out of a fit in turn, except its anchors.
        shape: roles of the settings in baselines, the curves that a fit is compared with.
        scatter: variation of repeated figures beyond rounding, as a share; their weight in a fit.
        sources: publishers or authors of the measurements, with place and date.
        remarks: what was concluded about the conditions of own figures, one line each.
    """

    name: str
    title: str
    system: str
    measurements: tuple[Measurement, ...]
    unpredicted: dict[str, str] = Field(default_factory=dict)
    comparisons: dict[str, ComparingFigure] = Field(default_factory=dict)
    restated: tuple[Selection, ...] = ()
    for_fit: tuple[Selection, ...] = ()
    never_fitted: tuple[Selection, ...] = ()
    transfers: tuple[Selection, ...] = ()
    machines: Machines | None = None
    shape: Shape | None = None
    scatter: float = SCATTER
    sources: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """True if these are a user's own measurements, not published ones."""
        return all(each.source == OWN for each in self.measurements)

    def fitted(self) -> list[Measurement]:
        """The figures that a fit may see."""
        return [each for each in self.predicted() if not any(held.holds(each) for held in self.never_fitted)]

    def is_for_fit(self, figure: Measurement) -> bool:
        """True if ``figure`` is assigned to fits."""
        return any(given.holds(figure) for given in self.for_fit)

    def predicted(self) -> list[Measurement]:
        """The figures that the system predicts, without those that compare others."""
        return [each for each in self.measurements if not (self.why_unpredicted(each) or self.comparison(each))]

    def comparison(self, figure: Measurement) -> ComparingFigure | None:
        """The two figures that ``figure`` compares; None for any other figure."""
        return self.comparisons.get(figure.name)

    def why_unpredicted(self, figure: Measurement) -> str | None:
        """The reason why no model predicts ``figure``; None if one does."""
        return self.unpredicted.get(figure.name)

    def why_restated(self, figure: Measurement) -> str | None:
        """The reason why ``figure`` adds no information to others; None if it does."""
        return next((each.name for each in self.restated if each.holds(figure)), None)
