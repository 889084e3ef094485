"""Why a system does what it does: where one I/O spends its time, what limits all, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.model.identical import common_names
from sim.prediction.prediction import Prediction
from sim.prediction.sensitivity import Sensitivity, sensitivities
from sim.result import Bound
from sim.simulation.latency_breakdown import Breakdown, break_down
from sim.simulation.limits import SATURATED
from sim.simulation.recording import recorded


@dataclass(frozen=True)
class Explanation:
    """Computed from recorded runs of the model of ``prediction``.

    Attributes:
        breakdowns: where the latency of a request comes from, by group; the watched one first.
        limits: what each place allows, in the prediction's unit, the narrowest first; alike places once.
        sensitivities: of throughput to each parameter, strongest first.
    """

    prediction: Prediction
    breakdowns: Mapping[str, Breakdown]
    limits: tuple[Bound, ...]
    sensitivities: tuple[Sensitivity, ...]

    @property
    def saturated(self) -> bool:
        """Whether the first of the limits is reached."""
        return self.prediction.limit.reached >= SATURATED

    def record(self) -> dict[str, Any]:
        """What ``predict --explain --json`` adds to the stable interface, under ``explanation``."""
        return {
            "ledgers": {group: _breakdown(each) for group, each in self.breakdowns.items()},
            "limits": [{"place": each.place, "throughput": each.throughput} for each in self.limits],
            "saturated": self.saturated,
            "elasticities": {
                each.parameter: {
                    "value": each.elasticity.value,
                    "low": each.elasticity.low,
                    "high": each.elasticity.high,
                    "inert": each.inert,
                }
                for each in self.sensitivities
            },
        }


def _breakdown(breakdown: Breakdown) -> dict[str, Any]:
    return {
        "walks": breakdown.requests,
        "latency_ns": breakdown.latency_ns,
        "lines": [
            {"doing": each.activity, "place": each.place, "ns": each.total_ns, "stays": each.intervals}
            for each in breakdown.shares
        ],
    }


def explain(found: Prediction) -> Explanation:
    """Record some walks of what was predicted, and move every parameter a little."""
    walks = recorded(found.case.scenario.model, found.result)
    order = sorted(walks, key=lambda group: group != found.result.watched)
    return Explanation(
        prediction=found,
        breakdowns={group: breakdown for group in order if (breakdown := break_down(walks[group])).latency_ns},
        limits=tuple(_limits(found)),
        sensitivities=sensitivities(found.case, found.result),
    )


def _limits(found: Prediction) -> list[Bound]:
    names = common_names(each.place for each in found.result.limits)
    narrowest: dict[str, float] = {}
    for each in found.result.limits:
        narrowest.setdefault(names[each.place], each.throughput * found.amount)
    return [Bound(place, throughput) for place, throughput in narrowest.items()]
