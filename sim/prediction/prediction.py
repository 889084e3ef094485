"""Prediction of a system: settings in, throughput in the system's unit out, with all results of the simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.engine.checks import quoted
from sim.engine.display import Shown
from sim.engine.errors import InputError, nearest
from sim.engine.model.identical import common_names
from sim.engine.model.places import Role
from sim.engine.model.uses import paced_by
from sim.engine.result import Bound, Latency, Result
from sim.engine.simulation.allowances import internals, lowest_bounds, roles_of
from sim.engine.simulation.limits import Limit, marked
from sim.engine.simulation.options import Progress, RunOptions, part_of
from sim.engine.simulation.variation import Variation
from sim.engine.statistics.answers import ANSWERS
from sim.engine.statistics.estimates import Estimate
from sim.prediction.limiting import limit_in
from sim.prediction.prediction_record import (
    BandRecord,
    DecidingRecord,
    LatencyRecord,
    PredictionRecord,
    band_record,
    estimate_record,
    finite,
    limit_record,
    percentiles_record,
)
from sim.prediction.solvers import solved_case
from sim.prediction.states import States, one_alone, states_of
from sim.prediction.uncertainty import OF_RUN, OF_STATES, PredictionInterval, comparable, prediction_intervals
from sim.prediction.usage import Usage, share, usages
from sim.system.case import Case
from sim.system.parameters import Parameter
from sim.system.scenario import LATENCIES, Answer, Scenario
from sim.system.settings import Values
from sim.system.system import System

if TYPE_CHECKING:
    from sim.prediction.caveats import Caveats
    from sim.prediction.extrapolation import Apart, Extrapolated
    from sim.prediction.rivals import Rival
    from sim.prediction.structures import Structure
    from sim.prediction.told_percentiles import Told


@dataclass(frozen=True)
class Prediction(Shown):
    """Predicted performance of a system under given settings.

    Attributes:
        case: the system and its settings.
        shown: the settings, and the parameters that were set, as text.
        amount: throughput in ``unit`` for one watched request per second.
        answers: all values that can be compared with published figures, by measure.
        intervals: the prediction interval of each answer, by measure; empty if they were not asked for, or if the
            system has no parameters.
        opened: interval of each answer by the parameters alone, from which ``intervals`` are made.
        states: the two states between which throughput switches by itself; None if none were found.
        notes: parts of this load that the model leaves out, and settings without effect, one line each.
        parts: equal parts of the job, of which one was simulated; 1 of a whole job, and of an endless load.
        variation: sources of variation of request times, on which percentiles depend; None for the analytic
            engine, which has none.
        internals: names of the places that tables and drawn stacks leave out (`sim.engine.simulation.allowances`).
        roles: roles of places, by name and common name, without ordinary resources.
        paced: names of the buffers at which requests wait for a place that refills them, by its name.
        late: True if ``result`` is of a state that the model comes to only after a long time.
    """

    case: Case
    shown: Mapping[str, str]
    unit: str
    amount: float
    result: Result
    answers: Mapping[str, Answer]
    intervals: Mapping[str, PredictionInterval]
    opened: Mapping[str, PredictionInterval]
    parts: int = 1
    states: States | None = None
    notes: tuple[str, ...] = ()
    variation: Variation | None = None
    internals: frozenset[str] = frozenset()
    roles: Mapping[str, Role] = field(default_factory=dict)
    paced: Mapping[str, str] = field(default_factory=dict)
    late: bool = False

    @property
    def system(self) -> str:
        """Name of the system."""
        return self.case.system.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """A value for every setting."""
        return self.case.settings

    @property
    def inputs(self) -> Mapping[str, Any]:
        """A value for every setting, and for every parameter that was set."""
        return self.case.inputs

    @property
    def assumed(self) -> tuple[Parameter, ...]:
        """Parameters of basis *assumed*."""
        return self.case.system.parameters.assumed()

    @property
    def caveats(self) -> Caveats:
        """Caveats of the answers, beside the warnings of ``result``."""
        from sim.prediction.caveats import caveats_of  # lazily: data packages load pydantic
        from sim.prediction.structures import expected  # lazily: the analytic engine

        value, told = self.throughput.value, self.structures
        structures = [f"structures: {' or '.join(expected(told, value))} {self.unit}"] if told else []
        return caveats_of(self.case, self.notes, self.variation, tuple(structures))

    @property
    def structures(self) -> tuple[Structure, ...]:
        """Answers of all structures of the system; empty if it has only one, or they agree."""
        from sim.prediction.structures import structures_of  # lazily: the analytic engine

        return structures_of(self.case)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """Throughput by measured jobs alone, beside the stack fitted to them; empty beyond measured settings."""
        if not self.case.system.parameters.compared:
            return ()
        from sim.prediction.rivals import rivals_of  # lazily: curves load scipy

        return rivals_of(self.case, self.unit, self.throughput.value)

    @property
    def told_percentiles(self) -> tuple[Told, ...]:
        """Percentiles from measured jobs, if the model has none."""
        if not any(each.predicted is None for each in self.case.system.parameters.compared):
            return ()
        from sim.prediction.told_percentiles import told_percentiles  # lazily: curves load scipy

        return told_percentiles(self.case)

    @property
    def extrapolated(self) -> tuple[Extrapolated, ...]:
        """Settings outside those under which the system was measured."""
        return self.caveats.extrapolated

    @property
    def apart(self) -> tuple[Apart, ...]:
        """Pairs of settings that were never measured together."""
        return self.caveats.apart

    @property
    def throughput(self) -> Estimate:
        """Throughput in ``unit``."""
        return self.answers["throughput"].estimate

    @property
    def latency(self) -> Latency:
        """Time of a request of the watched workloads."""
        return Latency(**{name: self.answers[name].estimate for name in LATENCIES})

    @property
    def further(self) -> Mapping[str, Answer]:
        """The answers beside throughput and latency: elapsed time if the job ends, and the system's own."""
        return {name: each for name, each in self.answers.items() if name not in ANSWERS}

    def value(self, measure: str = "throughput") -> float:
        """The value of an answer, in its own unit.

        Raises:
            InputError: no such answer.
        """
        if measure not in self.answers:
            raise InputError(f"{self.system} has no answer '{measure}'; {nearest(measure, self.answers)}")
        return self.answers[measure].estimate.value

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each answer with its interval, and where a measurement would lie."""
        for name, answer in self.answers.items():
            estimate, band = answer.estimate, self.intervals.get(name)
            yield {
                "answer": name,
                "value": finite(estimate.value),
                "low": finite(estimate.low),
                "high": finite(estimate.high),
                "unit": answer.unit,
                "expected_low": band.low if band else None,
                "expected_high": band.high if band else None,
            }

    @cached_property
    def limit(self) -> Limit:
        """Why throughput is not higher; computed on demand, as it may need models with more clients."""
        return limit_in(self.case, self.result, late=self.late)

    @property
    def behind(self) -> tuple[Bound, ...]:
        """Throughput that places other than that of ``limit`` allow, the lowest first."""
        bounds = lowest_bounds(self.result, self.amount)
        hidden = {self.limit.family, *(name for name, role in self.roles.items() if role == "internal")}
        names = common_names(self.result.places)
        hidden |= {name for name in names if names[name] == self.limit.family}
        return tuple(each for each in bounds if each.place not in hidden)

    def usages(self, most: int) -> list[Usage]:
        """Use of ``most`` places, without internal ones (`sim.prediction.usage.usages`)."""
        return usages(self.result, most, self.internals, self.paced)

    def named(self, place: str) -> str:
        """``place``, a name or a common name, marked if it is a stand-in."""
        return f"{place}{marked(self.roles.get(place, 'resource'))}"

    def _band(self, measure: str) -> BandRecord | None:
        band = self.intervals.get(measure)
        return band_record(band, self.answers[measure].unit) if band else None

    def _deciding(self) -> DecidingRecord | None:
        from sim.prediction.structures import deciding  # lazily: the analytic engine

        measurement = deciding(self.case) if self.structures else None
        return measurement.record() if measurement else None

    def record(self) -> PredictionRecord:
        """The JSON of ``predict --json``, a stable interface."""
        result, elapsed, limit = self.result, self.answers.get("elapsed"), self.limit
        return {
            "system": self.system,
            "settings": self.case.plain,
            "asked": self.case.system.asked.shown if self.case.system.asked else None,
            "parameters": {each.name: each.value for each in self.case.system.parameters.set()},
            "engine": result.engine,
            "seed": result.seed,
            "throughput": estimate_record(self.throughput, self.unit),
            "band": self._band("throughput"),
            "elapsed": estimate_record(elapsed.estimate, "s") if result.elapsed and elapsed else None,
            "latency": _latency(self.latency),
            "percentiles": percentiles_record(self.variation) if self.variation else None,
            "told_percentiles": {each.measure: each.record() for each in self.told_percentiles},
            "measures": {name: estimate_record(each.estimate, each.unit) for name, each in self.further.items()},
            "bands": {name: self._band(name) for name in self.answers} if self.intervals else {},
            "utilisation": {name: finite(share(place)) for name, place in result.places.items()},
            "bottleneck": limit.place,
            "bound": {"value": limit.allows * self.amount, "unit": self.unit, "place": limit.place}
            if limit.allows
            else None,
            "limit": limit_record(limit),
            "bursts": [
                {
                    "place": each.place,
                    "throughput": estimate_record(each.throughput.scaled(self.amount), self.unit),
                    "seconds": estimate_record(each.seconds, "s"),
                }
                for each in result.bursts
            ],
            "states": self.states.record() if self.states else None,
            "structures": [each.record(self.throughput.value) for each in self.structures],
            "rivals": [each.record() for each in self.rivals],
            "deciding": self._deciding(),
            "events": result.steps,
            "narrowed": dict(result.groups[result.watched].narrowed),
            "warnings": list(result.warnings),
            **self.caveats.record(),
        }


def _latency(latency: Latency) -> LatencyRecord:
    estimates: dict[str, Estimate] = vars(latency)
    return {
        "mean": finite(latency.mean.value),
        "p50": finite(latency.p50.value),
        "p95": finite(latency.p95.value),
        "p99": finite(latency.p99.value),
        "unit": "s",
        "intervals": {name: [finite(each.low), finite(each.high)] for name, each in estimates.items()},
        "known": {name: estimate.known for name, estimate in estimates.items()},
    }


def _bands(
    case: Case, answers: Mapping[str, Answer], opened: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """Prediction intervals, over all structures of the system, or over rivals from measured jobs."""
    from sim.prediction.structures import bands_over_structures  # lazily: data packages load pydantic

    bands = bands_over_structures(case, answers, opened)
    if not case.system.parameters.compared:
        return bands
    from sim.prediction.rivals import bands_over_rivals  # lazily: curves load scipy

    return bands_over_rivals(case, answers, bands)


def predict(
    system: System | str,
    settings: Values,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    *,
    intervals: bool = True,
) -> Prediction:
    """Simulate ``system``, an object or a name, under ``settings``; settings not given keep their defaults.

    Args:
        intervals: compute prediction intervals, which takes 17 more runs, 33 if some parameters are
            fitted and others have ranges, and none if all are certain.

    Raises:
        InputError: a setting or option that is not allowed.
    """
    options = RunOptions() if options is None else options
    if not isinstance(options, RunOptions):
        raise InputError(f"options are {quoted(options)}; allowed: RunOptions(engine=…, precision=…, …)")
    return predict_case(Case.of(system, settings), options, progress, intervals=intervals)


def predict_case(
    case: Case, options: RunOptions, progress: Progress | None = None, *, intervals: bool = False
) -> Prediction:
    """Simulate ``case`` and return its Prediction; by default without prediction intervals."""
    drawn = intervals and comparable(options)
    scenario, result = solved_case(case, options, part_of(progress, 0.0, OF_RUN if drawn else 1.0))
    return looked_at(case, options, scenario, result, progress, intervals=intervals)


def looked_at(
    case: Case,
    options: RunOptions,
    scenario: Scenario,
    result: Result,
    progress: Progress | None = None,
    *,
    intervals: bool,
) -> Prediction:
    """The prediction from ``result`` of ``scenario``, with a search for states, and ``intervals`` if asked for."""
    if not comparable(options):
        return prediction_of(case, scenario, result, {})
    begin, end = (OF_RUN, OF_STATES) if intervals else (1.0, 1.0)
    states = states_of(case, result, part_of(progress, begin, end), drawn=intervals)
    if states:
        result = one_alone(result, states, scenario.amount)
    opened = prediction_intervals(case, result, part_of(progress, end, 1.0)) if intervals else {}
    return prediction_of(case, scenario, result, opened, states)


def prediction_of(
    case: Case,
    scenario: Scenario,
    result: Result,
    opened: Mapping[str, PredictionInterval],
    states: States | None = None,
) -> Prediction:
    """The prediction from ``result`` of ``scenario``, in the units of the system of ``case``.

    Args:
        opened: interval of each answer by uncertain parameters; empty if not computed.
        states: the two states of ``case``; None if there are none, or not searched.
    """
    warnings = (*result.warnings, *scenario.warnings, *scenario.sample.warnings, *case.system.parameters.warnings)
    result = replace(result, warnings=warnings)
    from sim.prediction.caveats import notes_of  # lazily: as above

    replaced = {name: text for name, text in scenario.replaced.items() if text and name in case.settings}
    answers = scenario.answers(result)
    return Prediction(
        case=case,
        shown=case.shown | replaced,
        unit=scenario.unit,
        amount=scenario.amount,
        result=result,
        internals=internals(scenario.model),
        roles=roles_of(scenario.model),
        paced=paced_by(scenario.model),
        answers=answers,
        parts=scenario.sample.parts,
        variation=scenario.variation(result),
        intervals=_bands(case, answers, opened),
        opened=opened,
        states=states,
        notes=tuple(notes_of(case, scenario)),
    )


def listing(case: Case) -> str:
    """Program of the compiled engine for the model of ``case``, one instruction a line."""
    from sim.engine.events.compiled.lowering import listing as listed  # lazily: Numba

    return listed(case.scenario.model)
