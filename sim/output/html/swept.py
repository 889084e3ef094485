"""A sweep as one self-contained page with sliders over the predicted points, for mailing."""

from __future__ import annotations

import bisect
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.engine.errors import InputError, printable
from sim.engine.files import write_atomically
from sim.output.pictures.drawable import horizontal, numeric
from sim.output.pictures.sweep import charts
from sim.prediction.prediction import Prediction
from sim.prediction.sweep import groups
from sim.prediction.table import Point
from sim.system.scenario import LATENCIES

FORMATS = (".html",)

MOST = 20_000
"""Largest number of points of a page that can be mailed."""


def check(varied: Mapping[str, Sequence[Any]], points: int, over: str | None) -> None:
    """Refuse a sweep that a page cannot show, before hours of simulation.

    Raises:
        InputError: too many points, or no setting along the x axis.
    """
    if points > MOST:
        raise InputError(f"a page of {points} points is too large to mail; allowed: {MOST}; vary less")
    horizontal(varied, over)


@dataclass(frozen=True)
class Grid:
    """The points of a sweep, by the setting along the x axis and the others.

    Attributes:
        varied: the values of each setting or parameter that varies.
        across: the setting along the x axis.
        others: settings with a slider.
    """

    points: Sequence[Point]
    varied: Mapping[str, Sequence[Any]]
    paired: Sequence[str]
    across: str
    others: Sequence[str]

    @classmethod
    def of(
        cls,
        points: Sequence[Point],
        varied: Mapping[str, Sequence[Any]],
        paired: Sequence[str] = (),
        over: str | None = None,
    ) -> Grid:
        """The grid over the setting ``over``, or over the most suitable one."""
        across = horizontal(varied, over)
        along = next(group for group in groups(varied, paired) if across in group)
        others = [name for name, values in varied.items() if name not in along and len(values) > 1]
        return cls(points, varied, paired, across, others)

    def record(self) -> dict[str, Any]:
        """Data of `swept.js`, ready for JSON."""
        done = [point.prediction for point in self.points if point.prediction]
        answers = _answers(done)
        records = {name: self._charted(done, name) for name in answers}
        return {
            "over": self.across,
            "sliders": [self._slider(name) for name in self.others],
            "answers": [{"name": name, "label": label} for name, label in answers.items()],
            "charts": records,
            "curves": self._curves(done),
            "limits": self._limits(done),
            "gaps": [self._gap(point) for point in self.points if not point.prediction],
        }

    def _slider(self, name: str) -> dict[str, Any]:
        texts = dict.fromkeys(self._combination(point.case.shown)[name] for point in self.points)
        return {"name": name, "texts": list(texts), "numeric": numeric(self.varied[name])}

    def _combination(self, shown: Mapping[str, str]) -> dict[str, str]:
        return {name: printable(shown[name]) for name in self.others}

    def _curves(self, done: Sequence[Prediction]) -> list[dict[str, str]]:
        """Combination of settings of each curve, in the order of ``charts``."""
        combinations = [self._combination(each.shown) for each in done]
        return [dict(each) for each in dict.fromkeys(tuple(combination.items()) for combination in combinations)]

    def _charted(self, done: Sequence[Prediction], measure: str) -> dict[str, Any]:
        """Chart of all curves, with a gap for each point that is not done."""
        (chart,) = charts(done, self.varied, [measure], self.paired, self.across)
        record, curves = chart.record(), self._curves(done)
        for point in self.points:
            combination = self._combination(point.case.shown)
            if not point.prediction and combination in curves:
                _insert(record["curves"][curves.index(combination)], self._place(point))
        return record

    def _place(self, point: Point) -> float:
        value = point.case.inputs[self.across]
        values = self.varied[self.across]
        return value if numeric(values) else float(values.index(value))

    def _limits(self, done: Sequence[Prediction]) -> list[dict[str, str]]:
        """Limiting place, by curve and by the text along the x axis."""
        curves = self._curves(done)
        limits: list[dict[str, str]] = [{} for _ in curves]
        for each in done:
            curve = curves.index(self._combination(each.shown))
            limits[curve][printable(each.shown[self.across])] = each.limit.short
        return limits

    def _gap(self, point: Point) -> dict[str, Any]:
        shown = point.case.shown
        why = printable(f"{point.known.status}: {point.known.reason}")
        return {"at": printable(shown[self.across]), "of": self._combination(shown), "why": why}


def _answers(done: Sequence[Prediction]) -> dict[str, str]:
    """Labels of the answers that all predictions have; those without any value are left out."""
    common = [name for name in done[0].answers if all(name in each.answers for each in done)]
    known = [name for name in common if any(math.isfinite(each.answers[name].estimate.value) for each in done)]
    return {name: LATENCIES.get(name, name.replace("_", " ")) for name in known}


def _insert(curve: dict[str, Any], x: float) -> None:
    """Insert a gap in ``curve`` at ``x``."""
    at = bisect.bisect_left(curve["x"], x)
    for name, value in (("x", x), ("y", None), ("low", None), ("high", None)):
        if curve[name]:
            curve[name].insert(at, value)
    if curve["knee"] is not None and at <= curve["knee"]:
        curve["knee"] += 1


def write(grid: Grid, title: str, command: str, path: Path) -> None:
    """Write the page of ``grid``, made by ``command``, atomically."""
    environment = Environment(
        loader=PackageLoader("sim.output.html", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template("swept.html").render(
        version=version("stacksim"),
        title=printable(title),
        command=printable(command),
        style=_text("sim.output.pictures", "chart.css"),
        script=_script(),
        grid=json.dumps(grid.record(), allow_nan=False).replace("<", "\\u003c"),
    )
    write_atomically(path, page.encode())


def _script() -> str:
    """All modules of the page as one without imports."""
    modules = (("pictures", "number.js"), ("pictures", "chart.js"), ("html", "swept.js"))
    text = "\n".join(_text(f"sim.output.{folder}", name) for folder, name in modules)
    return "\n".join(line for line in text.splitlines() if not line.startswith("import "))


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
