"""Published measurements: figures, each with its place, its rounding and its conditions, and tables of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from sim.data.shape import Shape
from sim.errors import nearest, shown
from sim.system.complaints import form

_CONDITION = re.compile(r"([a-z][a-z0-9_]*)=([^\s=]+)")
Text = Annotated[str, form(r"[^\x00-\x1f]+", "text on one line, not empty")]
"""Some text on one line."""


MIN, MAX = 1e-18, 1e18
"""Of a figure: what is smaller or larger has another unit, or is a slip of the pen."""


OWN = "own"
"""The source of a user's own measurements."""


class Frozen(BaseModel):
    """A record that is checked when it is made, and never changed."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Measurement(Frozen, extra="forbid"):
    """One published figure: ``value`` (above 0) give or take ``half_width`` (its rounding), both in ``unit``.

    ``measure`` names the answer of the system that the figure is one of, such as throughput. ``conditions`` are
    (name, text) pairs; they may be given as text such as ``"users=4 block=8KiB"``, or ``-`` for none.
    ``line`` counts from 1 in the table's file. Raises pydantic's ValidationError for what cannot be.
    """

    dataset: Text
    source: Text
    table: Text
    row: Text
    column: Text
    measure: Text
    value: float
    unit: Text
    half_width: float = Field(ge=0)
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
"""Of a dataset that does not say: runs of a benchmark repeat to some per cent."""


class Selection(Frozen, extra="forbid"):
    """Figures of a dataset that have something in common, which ``name`` says.

    They are those whose condition ``setting`` is one of ``values``; besides conditions, a ``measure``, and a
    ``figure`` by ``row/column``.
    """

    name: Text
    setting: Text
    values: tuple[Text, ...] = Field(min_length=1)

    def holds(self, figure: Measurement) -> bool:
        """Whether ``figure`` is one of them."""
        return said(figure).get(self.setting) in self.values

    def fault(self, figures: Sequence[Measurement]) -> str | None:
        """What it asks for that none of ``figures`` has; None where each of its values is that of some figure."""
        names = {name for figure in figures for name in said(figure)}
        if self.setting not in names:
            return f"names setting '{shown(self.setting)}', which no figure has; {nearest(self.setting, names)}"
        values = {known[self.setting] for figure in figures if self.setting in (known := said(figure))}
        missing = next((each for each in self.values if each not in values), None)
        if missing is None:
            return None
        return f"names {self.setting} '{shown(missing)}', which no figure has; {nearest(missing, values)}"


def said(figure: Measurement) -> dict[str, str]:
    """What a role may name a figure by."""
    return {"measure": figure.measure, "figure": figure.name, **dict(figure.conditions)}


class Machines(Frozen, extra="forbid"):
    """The setting that says which machine a figure is of, and the anchors of each: what is measured there first.

    A parameter that a machine does not share with others is called ``<machine>_<quantity>``.

    Attributes:
        left_out: machines that are left out of a fit in turn, by their value of ``setting``.
        anchors: the conditions of anchors, each under so many settings.
    """

    setting: Text
    left_out: tuple[Text, ...] = Field(min_length=1)
    anchors: tuple[dict[Text, Text], ...] = Field(min_length=1)

    def of(self, figure: Measurement) -> str | None:
        """The machine that ``figure`` is of."""
        return dict(figure.conditions).get(self.setting)

    def anchor(self, figure: Measurement) -> bool:
        """Whether ``figure`` is an anchor of its machine."""
        conditions = dict(figure.conditions)
        return any(each.items() <= conditions.items() for each in self.anchors)

    def fault(self, figures: Sequence[Measurement]) -> str | None:
        """What it asks for that none of ``figures`` has; None where each machine has anchors, and others."""
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
        says: by how many per cent ``of`` is below (*saved*) or above (*added*) ``to``.
    """

    says: Literal["saved", "added"]
    of: Text
    to: Text

    def value(self, of: float, to: float) -> float:
        """In per cent."""
        return 100.0 * (of / to - 1.0) * (-1.0 if self.says == "saved" else 1.0)


class Dataset(Frozen, extra="forbid"):
    """One table of measurements; ``system`` names the model that they calibrate.

    Attributes:
        unpredicted: why no model predicts a figure, by ``row/column``.
        comparisons: figures that compare two others, by ``row/column``; predicted from the predictions of both.
        restated: figures that say nothing new: they follow from others, or could not be missed; each with why.
        for_fit: figures that were given to be fitted before anything was: they test no model.
        never_fitted: figures that no fit may see, so that they stay a test.
        transfers: tests of a fit by what it says of conditions that it has not seen, held out all at once.
        machines: which figures are of which machine; each is left out of a fit in turn, but for its anchors.
        shape: what a curve without mechanism has to know of the settings, to be compared with a fit.
        scatter: by what share figures differ that should be alike, beyond their rounding; weighs them in a fit.
        sources: who published or measured them, where and when.
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

    @property
    def own(self) -> bool:
        """Whether these are a user's own measurements, not published ones."""
        return all(each.source == OWN for each in self.measurements)

    def fitted(self) -> list[Measurement]:
        """The figures that a fit may see."""
        return [each for each in self.predicted() if not any(held.holds(each) for held in self.never_fitted)]

    def is_for_fit(self, figure: Measurement) -> bool:
        """Whether ``figure`` was given to be fitted."""
        return any(given.holds(figure) for given in self.for_fit)

    def predicted(self) -> list[Measurement]:
        """The figures that the system predicts, without those that compare others."""
        return [each for each in self.measurements if not (self.why_unpredicted(each) or self.comparison(each))]

    def comparison(self, figure: Measurement) -> ComparingFigure | None:
        """Which others ``figure`` compares; None for any other figure."""
        return self.comparisons.get(figure.name)

    def why_unpredicted(self, figure: Measurement) -> str | None:
        """The reason why no model predicts ``figure``; None for one that is predicted."""
        return self.unpredicted.get(figure.name)

    def why_restated(self, figure: Measurement) -> str | None:
        """What makes ``figure`` say nothing that others do not say; None where nothing does."""
        return next((each.name for each in self.restated if each.holds(figure)), None)
