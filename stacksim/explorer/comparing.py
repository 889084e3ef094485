"""Two designs of the page beside each other: by how much they differ, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sim.decision.compare import Comparison, compare
from sim.decision.difference import CONFIDENCE, Difference
from sim.engine.simulation.options import Progress
from sim.engine.units.text import number_text
from sim.output.views.words import digits_for
from sim.system.scenario import LATENCIES
from stacksim.explorer.answers import ROUGH
from stacksim.explorer.choices import Choices
from stacksim.explorer.question import Question

_SHOWN = {"throughput": "throughput", "mean": LATENCIES["mean"]}
"""Answers of the sentence that sums up a difference."""

_SURE = 0.999
"""Probability from which no digits are shown."""


def compared(choices: Choices, questions: Sequence[Question], look: Progress) -> dict[str, Any]:
    """Record of the difference of two designs, from pairs of runs with common random numbers.

    Raises:
        StacksimError: a design cannot be asked about, or both cannot be compared.
    """
    a, b = (each.case(choices) for each in questions)
    comparison = compare(a, b, ROUGH, look)
    return {
        "verdict": _verdict(comparison),
        "answers": {each.name: _texts(each) for each in comparison.differences},
    }


def _texts(each: Difference) -> dict[str, str]:
    """B / A, and which side is better: by the runs alone, and with uncertain parameters."""
    if each.same:
        return {"ratio": "the same", "better": "", "likely": ""}
    return {
        "ratio": f"× {_ratio(each)}",
        "better": _surely(each.better),
        "likely": _surely(each.likely_better),
    }


def _verdict(comparison: Comparison) -> str:
    """The difference in throughput and mean latency as a sentence, and the certainty that parameters leave."""
    if comparison.same:
        return "A and B do not differ in any answer."
    by_name = {each.name: each for each in comparison.differences}
    said = [f"{label} {_seen(by_name[name])}" for name, label in _SHOWN.items() if name in by_name]
    likely = by_name["throughput"].likely_better
    side, sure = _surely(likely).split(" ") if likely is not None else ("", "")
    beside = (
        f" With uncertain parameters, {side} has more throughput with a probability of {sure}." if side else ""
    )
    return f"B against A, at {CONFIDENCE:.0%}: {', '.join(said)}.{beside}"


def _seen(each: Difference) -> str:
    if each.same:
        return "the same"
    return f"× {_ratio(each)}" if each.seen else "no difference seen"


def _ratio(each: Difference) -> str:
    """B / A with its interval."""
    times = partial(number_text, digits=digits_for(1.0, each.ratio.value - 1.0, 3))
    return f"{times(each.ratio.value)} ({times(each.ratio.low)} … {times(each.ratio.high)})"


def _surely(a_better: float | None) -> str:
    """The better side with its probability; empty if that is not known."""
    if a_better is None:
        return ""
    side, sure = ("A", a_better) if a_better >= 1.0 - a_better else ("B", 1.0 - a_better)
    return f"{side} {f'>{_SURE:.1%}' if sure > _SURE else f'{sure:.1%}'}"
