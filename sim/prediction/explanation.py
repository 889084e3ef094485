"""Why a system does what it does: where one I/O spends its time, what limits all, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.model.identical import alike
from sim.prediction.prediction import Prediction
from sim.prediction.sensitivity import Sensitivity, sensitivities
from sim.result import Bound
from sim.simulation.latency_breakdown import Ledger, ledger
from sim.simulation.limits import SATURATED
from sim.simulation.recording import recorded


@dataclass(frozen=True)
class Explanation:
    """Computed from recorded runs of the model of ``prediction``.

    Attributes:
        ledgers: where a walk spends its time, by group; the watched one first.
        limits: what each place allows, in the prediction's unit, the narrowest first; alike places once.
        sensitivities: of throughput to each parameter, strongest first.
    """

    prediction: Prediction
    ledgers: Mapping[str, Ledger]
    limits: tuple[Bound, ...]
    sensitivities: tuple[Sensitivity, ...]

    @property
    def saturated(self) -> bool:
        """Whether the first of the limits is reached."""
        return self.prediction.limit.reached >= SATURATED

    def record(self) -> dict[str, Any]:
        """What ``predict --explain --json`` adds to the stable interface, under ``explanation``."""
        return {
            "ledgers": {group: _ledger(each) for group, each in self.ledgers.items()},
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


def _ledger(books: Ledger) -> dict[str, Any]:
    return {
        "walks": books.walks,
        "latency_ns": books.latency_ns,
        "lines": [
            {"doing": each.doing, "place": each.place, "ns": each.ns, "stays": each.stays} for each in books.lines
        ],
    }


def explain(found: Prediction) -> Explanation:
    """Record some walks of what was predicted, and move every parameter a little."""
    walks = recorded(found.case.scenario.model, found.result)
    order = sorted(walks, key=lambda group: group != found.result.watched)
    return Explanation(
        prediction=found,
        ledgers={group: books for group in order if (books := ledger(walks[group])).latency_ns},
        limits=tuple(_limits(found)),
        sensitivities=sensitivities(found.case, found.result),
    )


def _limits(found: Prediction) -> list[Bound]:
    names = alike(each.place for each in found.result.limits)
    narrowest: dict[str, float] = {}
    for each in found.result.limits:
        narrowest.setdefault(names[each.place], each.throughput * found.amount)
    return [Bound(place, throughput) for place, throughput in narrowest.items()]
