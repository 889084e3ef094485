"""Parameters: numbers that describe the hardware or software, each with a unit, bounds and a source."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from numbers import Real
from types import SimpleNamespace
from typing import Any, Generic, Literal, get_args

from typing_extensions import TypeVar

from sim.engine import checks
from sim.engine.errors import InputError, nearest, shown
from sim.engine.units.text import figure_text
from sim.system.records import field_with, kept_in

Basis = Literal["published", "derived", "fitted", "assumed", "set"]
"""Origin of a value: a source; arithmetic on a source's figures; a fit; a plausible guess; or the user."""

CONFIDENCE = 0.90
"""Probability that a range contains the value."""

DEVIATIONS = 1.6449
"""Standard deviations of a normal distribution on each side of ``CONFIDENCE``."""

UNNAMED = ""
"""Placeholder until a parameter gets the name of its field."""


@dataclass(frozen=True)
class Parameter:
    """One number of a system.

    Attributes:
        value: before a fit, the centre of the prior of a parameter that is to be fitted.
        low, high: physical bounds of the value; a value outside is refused.
        source: the source, table or arithmetic; for an assumption, why it is plausible.
        cells: the published figures that the value was derived from or fitted to, as ``dataset/row/column``.
        interval: the confidence interval of a fitted value, 95 % by profile likelihood; None before a fit.
        prior: the centre of the prior of a fitted value, which it would keep without any data; None before a fit.
        likely: 90 % range; None if unknown, or taken from a fitted file.
        follows: change of the logarithm of a derived value for one standard deviation of each of its source
            numbers, by name. Parameters with a common source number move together.
    """

    name: str
    value: float
    unit: str
    low: float
    high: float
    basis: Basis
    source: str
    cells: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    prior: float | None = None
    likely: tuple[float, float] | None = None
    follows: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.name == UNNAMED:
            return  # checked once the field has named the parameter, so that messages contain the name
        self._check_kinds()
        if not (math.isfinite(self.value) and self.low <= self.value <= self.high):
            value, low, high = (figure_text(each, self.unit, 6) for each in (self.value, self.low, self.high))
            low = low.removesuffix(f" {self.unit}")
            raise InputError(f"parameter '{self.name}' is {value}; allowed: from {low} to {high}")
        self._check_range()
        if self.basis == "assumed" and self.cells:
            raise InputError(f"parameter '{self.name}' is assumed, yet names {self.cells[0]!r}; name no figure")
        if self.basis not in get_args(Basis):
            raise InputError(
                f"basis of parameter '{self.name}' is '{self.basis}'; allowed: published, derived, fitted, assumed"
            )

    def _check_kinds(self) -> None:
        """Refuse values of the wrong type."""
        checks.name("a parameter", self.name)
        of_this = f"of parameter '{self.name}'"
        for name in ("value", "low", "high"):
            _check(f"{name} {of_this} is", getattr(self, name), _is_number, "a number, such as 4e-3")
        for name in ("unit", "source"):
            _check(f"{name} {of_this} is", getattr(self, name), _is_text, "text")
        _check(f"cells {of_this} are", self.cells, _are_texts, "a list of figures, such as ['a/row/column']")

    def _check_range(self) -> None:
        """Refuse a range that excludes the value, or exceeds the bounds."""
        if self.likely is None:
            return
        low, high = self.likely
        if not (0.0 < low <= self.value <= high and self.low <= low and high <= self.high):
            first, last, value = (figure_text(each, self.unit, 6) for each in (low, high, self.value))
            raise InputError(
                f"range of parameter '{self.name}' is {first} to {last}; allowed: above 0, around its value "
                f"{value}, and within its bounds"
            )

    @property
    def centre(self) -> float:
        """The centre of the prior of a parameter that is fitted."""
        return self.value if self.prior is None else self.prior

    @property
    def causes(self) -> tuple[str, ...]:
        """Numbers that move the value within its range: those it follows, else itself; empty without range."""
        return (tuple(self.follows) or (self.name,)) if self.likely else ()

    def moved(self, steps: Mapping[str, float]) -> float:
        """The value at ``steps`` standard deviations of its causes, within its bounds."""
        if self.follows:
            step = sum(share * steps[cause] for cause, share in self.follows.items())
            return self.bounded(self.value * math.exp(step))
        return self.bounded(self._along(steps[self.name]))

    def following(self, follows: Mapping[str, float]) -> Parameter:
        """Copy whose range is derived from the numbers that it follows."""
        spread = math.exp(DEVIATIONS * math.hypot(*follows.values()))
        ends = self.bounded(self.value / spread), self.bounded(self.value * spread)
        return replace(self, follows=follows, likely=ends)

    def to_fit(self) -> Parameter:
        """Copy to be fitted if it is assumed within a range, with that range as prior; else itself."""
        if self.basis != "assumed" or self.likely is None or self.counted(self.likely):
            return self
        low, high = self.likely
        spread = (high / low) ** (1.0 / DEVIATIONS)
        ends = self.bounded(self.value / spread), self.bounded(self.value * spread)
        return replace(self, basis="fitted", low=ends[0], high=ends[1], likely=None)

    def freed(self) -> Parameter:
        """Copy to be fitted within its bounds if it is derived or assumed; else itself."""
        if self.basis not in ("derived", "assumed") or not 0.0 < self.low < self.high < math.inf:
            return self
        return replace(self, basis="fitted")

    def counted(self, likely: tuple[float, float]) -> bool:
        """True if it is a count."""
        whole = all(number.is_integer() for number in map(float, (self.value, *likely)))
        return whole and self.unit not in ("s", "bytes/s")

    def _along(self, step: float) -> float:
        """The value ``step`` standard deviations along its range, on a logarithmic scale."""
        likely = self.likely or (self.value, self.value)
        value = self.value * (likely[step > 0] / self.value) ** (abs(step) / DEVIATIONS)
        return float(round(value)) if self.counted(likely) else value

    def bounded(self, value: float) -> float:
        """The nearest value within the bounds."""
        return min(max(value, self.low), self.high)


def _check(what: str, value: object, right: Callable[[object], bool], allowed: str) -> None:
    if not right(value):
        raise InputError(f"{what} {checks.quoted(value)}; allowed: {allowed}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(values: object) -> bool:
    return isinstance(values, tuple) and all(map(_is_text, values))


def parameter(
    value: float,
    unit: str,
    low: float,
    high: float,
    basis: Basis,
    source: str,
    cells: Iterable[str] = (),
    likely: tuple[float, float] | None = None,
    follows: Mapping[str, float] | None = None,
    prior: float | None = None,
) -> Any:
    """A field of a record of parameters; see ``Parameter`` for the meaning of each.

    Args:
        follows: replaces ``likely``, which is derived from it.
        prior: centre of the prior, for a fitted value that stands in the source code.
    """
    listed = cells if isinstance(cells, str) or not isinstance(cells, Iterable) else tuple(cells)
    kept = Parameter(UNNAMED, value, unit, low, high, basis, source, listed, prior=prior, likely=likely)  # type: ignore[arg-type]
    return field_with(value, kept.following(follows) if follows else kept)


Record = TypeVar("Record", default=Any)


@dataclass(frozen=True)
class Compared:
    """A measured figure with a fit's prediction, both in ``unit``.

    Attributes:
        conditions: settings and values as users write them.
        predicted: None if the model has no such answer.
        seen: True if it was fitted.
        held_out: prediction by a fit without it; None for a fitted figure without cross-validation.
    """

    conditions: tuple[tuple[str, str], ...]
    measure: str
    unit: str
    measured: float
    predicted: float | None
    seen: bool
    held_out: float | None = None


@dataclass(frozen=True)
class Parameters(Generic[Record]):
    """The parameters of one system, by name.

    Attributes:
        covariance: covariance of the logarithms of the free ones, in their order; empty before a fit.
        scatter: deviation of log(measured / predicted) over the fitted figures.
        warnings: warnings for every prediction with them, one line each.
        held_out: prediction of each figure by a fit without it, by cell.
        missed: log(predicted / measured) of these predictions, by answer.
        missed_along, missed_elsewhere: such logarithms of transfers along a setting, and to another machine.
        machine: the setting that names the machine; empty if none was left out.
        seen_under: settings and values, as users write them, of each figure that a fit was compared with.
        compared: all jobs of a fit to a user's own jobs; empty for other fits.
        draws: posterior draws of the free ones, in their order; empty if only the covariance is known.
        record: type that a model is built from: a frozen dataclass with a field for each parameter.
    """

    entries: tuple[Parameter, ...]
    covariance: tuple[tuple[float, ...], ...] = ()
    scatter: float = 0.0
    warnings: tuple[str, ...] = ()
    held_out: Mapping[str, float] = field(default_factory=dict, hash=False)
    missed: Mapping[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
    missed_along: Mapping[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
    missed_elsewhere: Mapping[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
    machine: str = ""
    seen_under: tuple[tuple[tuple[str, str], ...], ...] = ()
    compared: tuple[Compared, ...] = ()
    draws: tuple[tuple[float, ...], ...] = ()
    record: Callable[..., Any] = SimpleNamespace

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.entries]
        if UNNAMED in names:
            raise InputError("a parameter has no name; give it one")
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"parameter '{name}' is listed twice; list it once")

    @classmethod
    def of(cls, record: type[Record]) -> Parameters[Record]:
        """Parameters from the fields of ``record``, each made by ``parameter``."""
        entries = tuple(kept_in(record, Parameter, "such as service_s: float = parameter(4e-3, …)"))
        return Parameters(entries, record=record)

    def __getitem__(self, name: str) -> float:
        for entry in self.entries:
            if entry.name == name:
                return entry.value
        raise InputError(f"no parameter '{shown(name)}'; {nearest(name, self.names())}")

    @property
    def values(self) -> Record:
        """An instance of ``record`` with the value of each parameter."""
        values: Record = self.record(**{entry.name: entry.value for entry in self.entries})
        return values

    def names(self) -> list[str]:
        """All names, in order."""
        return [entry.name for entry in self.entries]

    def assumed(self) -> tuple[Parameter, ...]:
        """Parameters that are merely assumed."""
        return tuple(entry for entry in self.entries if entry.basis == "assumed")

    def set(self) -> tuple[Parameter, ...]:
        """Parameters that a user set."""
        return tuple(entry for entry in self.entries if entry.basis == "set")

    def free(self) -> tuple[Parameter, ...]:
        """Parameters that a fit determines."""
        return tuple(entry for entry in self.entries if entry.basis == "fitted")

    def to_fit(self, measured: Collection[str] = ()) -> Parameters[Record]:
        """Copy with parameters to fit: free ones, else those assumed within a range, except counts.

        Their priors are these ranges, so that few figures move them little.

        Args:
            measured: names of others that figures measure; those derived or assumed within bounds are free, too.
        """
        entries = self.entries if self.free() else tuple(entry.to_fit() for entry in self.entries)
        freed = tuple(entry.freed() if entry.name in measured else entry for entry in entries)
        return self if freed == self.entries else replace(self, entries=freed)

    def having(self, entries: Iterable[Parameter]) -> Parameters[Record]:
        """Copy with other ``entries``; covariance and draws are kept for those that are still fitted."""
        entries = tuple(entries)
        fitted = {entry.name for entry in entries if entry.basis == "fitted"}
        kept = [entry.name in fitted for entry in self.free()]
        covariance = tuple(tuple(compress(row, kept)) for row in compress(self.covariance, kept))
        draws = tuple(tuple(compress(draw, kept)) for draw in self.draws)
        return replace(self, entries=entries, covariance=covariance, draws=draws)

    def changed(self, values: Mapping[str, float]) -> Parameters[Record]:
        """Copy with other ``values``, checked against the bounds."""
        for name in values:
            self[name]
        entries = tuple(
            replace(entry, value=values[entry.name], likely=None, follows={}) if entry.name in values else entry
            for entry in self.entries
        )
        return replace(self, entries=entries)
