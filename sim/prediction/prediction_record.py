"""The JSON of ``predict --json`` by part, parts that other commands share; `predict --schema` prints its schema.

A stable interface: keys are added, never changed or removed. What is not known is None. Times are in seconds
unless a ``unit`` stands beside them.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from typing_extensions import TypedDict

from sim.engine.simulation.limits import Kind, Limit
from sim.engine.simulation.variation import Variation
from sim.engine.statistics.estimates import Estimate

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from sim.prediction.uncertainty import PredictionInterval

Fields = TypeVar("Fields", bound="DataclassInstance")


def fields_of(record: Fields) -> Fields:
    """The fields of ``record``, a dataclass, as a dict for JSON, with the type that gives their schema."""
    return cast("Fields", asdict(record))


def finite(value: float | None) -> float | None:
    """``value`` if it is known and finite; else None, as JSON has neither nan nor infinity."""
    return value if value is not None and math.isfinite(value) else None


class EndsRecord(TypedDict):
    """A value, and the ends of its interval."""

    value: float | None
    low: float | None
    high: float | None


class IntervalRecord(EndsRecord):
    """A value and its confidence interval, of ``confidence`` from 0 to 1; ``known`` well enough or not."""

    confidence: float | None
    known: bool


class EstimateRecord(IntervalRecord):
    """A value in ``unit`` and its confidence interval."""

    unit: str


class LatencyRecord(TypedDict):
    """Times of a request, with the ends of their confidence intervals."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    unit: Literal["s"]
    intervals: dict[str, list[float | None]]
    known: dict[str, bool]


class BandRecord(TypedDict):
    """Prediction interval, its parts as standard deviations of logarithms, and its middle over structures."""

    low: float
    high: float
    unit: str
    confidence: float
    parameters: float
    scatter: float
    ranges: float
    known: bool
    missed: float
    structures: float
    expected: float | None


class PercentilesRecord(TypedDict):
    """Status of percentiles, and the shares of a request's time that they rest on."""

    status: str
    reason: str | None
    times: dict[Literal["constant", "assumed", "distribution"], float]
    places: list[str]


class ToldRecord(TypedDict):
    """A percentile from measured jobs, in place of the model's; ``by`` which curve."""

    value: float
    low: float
    high: float
    unit: Literal["s"]
    confidence: float
    by: str


class BoundRecord(TypedDict):
    """Throughput that the nearest place allows."""

    value: float
    unit: str
    place: str | None


class LimitRecord(TypedDict):
    """The limit of throughput: the nearest place, the number of places ``alike``, and the share ``reached``."""

    kind: Kind
    place: str | None
    alike: int
    reached: float
    brought_by: list[str]


class BurstRecord(TypedDict):
    """Initial throughput until a place is full or empty."""

    place: str
    throughput: EstimateRecord
    seconds: EstimateRecord


class StatesRecord(TypedDict):
    """Throughput in either of two states, and the share of time in the slower one."""

    low: float
    high: float
    low_share: float | None
    stay_s: float


class StructureRecord(TypedDict):
    """A structure of the system: its assumption, probability and throughput."""

    system: str
    says: str
    weight: float
    throughput: float


class RivalRecord(TypedDict):
    """A rival prediction of throughput, with its probability."""

    name: str
    weight: float
    throughput: float


class DecidingRecord(TypedDict):
    """The measurement that would tell structures apart; ``expected``: throughput by each of them."""

    settings: dict[str, str]
    expected: list[float]


class ExtrapolatedRecord(TypedDict):
    """A setting with a value outside those measured."""

    setting: str
    value: str
    measured: str


class CaveatsRecord(TypedDict):
    """Caveats of an answer; ``apart``: pairs of settings that were never measured together."""

    extrapolated: list[ExtrapolatedRecord]
    apart: list[dict[str, str]]
    notes: list[str]
    measured: bool
    assumed: list[str]


class PredictionRecord(CaveatsRecord):
    """The prediction of a system under given settings."""

    system: str
    settings: dict[str, Any]
    asked: dict[str, str] | None
    parameters: dict[str, float]
    engine: str
    seed: int
    throughput: EstimateRecord
    band: BandRecord | None
    elapsed: EstimateRecord | None
    latency: LatencyRecord
    percentiles: PercentilesRecord | None
    told_percentiles: dict[str, ToldRecord]
    measures: dict[str, EstimateRecord]
    bands: dict[str, BandRecord | None]
    utilisation: dict[str, float | None]
    bottleneck: str | None
    bound: BoundRecord | None
    limit: LimitRecord
    bursts: list[BurstRecord]
    states: StatesRecord | None
    structures: list[StructureRecord]
    rivals: list[RivalRecord]
    deciding: DecidingRecord | None
    events: int
    narrowed: dict[str, float]
    warnings: list[str]


def interval_record(estimate: Estimate) -> IntervalRecord:
    """Record of ``estimate``, without its unit."""
    return {
        "value": finite(estimate.value),
        "low": finite(estimate.low),
        "high": finite(estimate.high),
        "confidence": finite(estimate.confidence),
        "known": estimate.known,
    }


def estimate_record(estimate: Estimate, unit: str) -> EstimateRecord:
    """Record of ``estimate`` in ``unit``."""
    record = interval_record(estimate)
    return {"value": record["value"], "unit": unit, **record}


def band_record(interval: PredictionInterval, unit: str) -> BandRecord:
    """Record of a prediction interval in ``unit``."""
    return {
        "low": interval.low,
        "high": interval.high,
        "unit": unit,
        "confidence": interval.confidence,
        "parameters": interval.parameters,
        "scatter": interval.scatter,
        "ranges": interval.ranges,
        "known": interval.known,
        "missed": interval.missed,
        "structures": interval.structures,
        "expected": interval.mixture.middle if interval.mixture else None,
    }


def limit_record(limit: Limit) -> LimitRecord:
    """Record of ``limit``."""
    return {
        "kind": limit.kind,
        "place": limit.place,
        "alike": limit.identical,
        "reached": limit.reached,
        "brought_by": list(limit.brought_by),
    }


def percentiles_record(variation: Variation) -> PercentilesRecord:
    """Record of the percentiles of ``variation``."""
    return {
        "status": variation.status,
        "reason": variation.words or None,
        "times": {"constant": variation.constant, "assumed": variation.assumed, "distribution": variation.known},
        "places": list(variation.places),
    }
