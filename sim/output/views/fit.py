"""A fit: each parameter with its main source, what the figures determine in words, and next measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.calibration.assumptions import Assumption
from sim.calibration.calibrate import Calibration
from sim.calibration.design import Advice
from sim.data.fitted import FittedValue
from sim.engine.units.text import ends_text, number_text, prefixed
from sim.output.views.parts import Line, Wide, about
from sim.system.scenario import LATENCIES

_ROUGH = 4.0
"""Ratio of the ends of a rough interval: a factor of two to either side."""


def parameters(calibration: Calibration) -> Wide:
    """A row for each fitted parameter; in blocks on a narrow terminal."""
    headings = ("parameter", "value", "95% interval", "unit", "prior", "start spread", "known from")
    rows = []
    for index, (parameter, spread) in enumerate(zip(calibration.problem.free, calibration.spread, strict=True)):
        value = calibration.fitted.parameters[parameter.name]
        unit, scale = prefixed(value.value, parameter.unit)
        rows.append(
            (
                parameter.name,
                number_text(value.value / scale),
                ends_text(value.low / scale, value.high / scale),
                unit,
                number_text(parameter.centre / scale, 3),
                f"{spread - 1.0:.1%}",
                _known_from(calibration, index, value),
            )
        )
    return Wide(headings, rows, keys=1)


def _known_from(calibration: Calibration, index: int, value: FittedValue) -> str:
    """Reason for a parameter's value: usually the figure that it moves most, in deviations of the figure."""
    if value.at_bound:
        return "at its bound"
    if value.at_prior:
        return "mostly its prior"
    figure = calibration.problem.figures[int(np.argmax(np.abs(calibration.solution.jacobian[:, index])))]
    return f"{figure.row} {figure.column}"


def in_words(calibration: Calibration) -> Iterator[Line]:
    """Yield the parameters that the figures determine and those that they do not, in words."""
    values = calibration.fitted.parameters
    bound = [name for name, each in values.items() if each.at_bound]
    left = [name for name, each in values.items() if each.at_prior]
    determined = [name for name in values if name not in (*bound, *left)]
    yield about(
        "in words",
        f"the figures determine {len(determined)} of {len(values)} parameters; beside each stands the figure that "
        "says most about it",
    )
    if loose := [
        f"{name} ({values[name].high / values[name].low:.0f})"
        for name in determined
        if values[name].high > _ROUGH * values[name].low
    ]:
        yield about("", f"roughly, with this factor from end to end of the interval: {', '.join(loose)}")
    if left:
        yield about("", f"mostly as assumed before, because no figure says enough about it: {', '.join(left)}")
    if bound:
        yield about(
            "", f"at a bound, because the figures ask for more than is known of the parts: {', '.join(bound)}"
        )
    singular = ", ".join(f"{each:.2g}" for each in calibration.certainty.singular_values)
    yield about(
        "directions",
        f"{singular}: singular values of the Jacobian, in deviations of the priors; where one is below 1, the "
        "prior decides",
    )


def suspected(suspect: Assumption | None) -> Iterator[Line]:
    """The assumed parameter that would explain the worst error, if there is one."""
    if suspect is None:
        return
    entry, figure = suspect.parameter, suspect.figure
    unit, scale = prefixed(entry.value, entry.unit)
    value, assumed = (number_text(each / scale, 3) for each in (suspect.value, entry.value))
    within = f"{assumed} is assumed, {ends_text(entry.low / scale, entry.high / scale)} possible"
    yield about(
        "suspect",
        f"{entry.name}, which no figure was fitted to: {value} {unit} ({within}) would bring the worst figure, "
        f"{figure.row} {figure.column}, from {suspect.error:+.1%} to {suspect.left:+.1%}",
    )


def advised(advice: Sequence[Advice]) -> Iterator[Line]:
    """The most useful measurements, a line each."""
    for number, each in enumerate(advice, start=1):
        settings = "  ".join(f"{name}={text}" for name, text in each.shown)
        what = f"the {LATENCIES[each.measure]} with " if each.measure in LATENCIES else ""
        yield about(
            f"measure {number}",
            f"{what}{settings}: would narrow predictions from ±{each.before:.1%} to ±{each.after:.1%}",
        )
