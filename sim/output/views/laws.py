"""Text of the laws that `stacksim stack check` tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.engine.units import size_text
from sim.prediction.laws import Laws
from sim.system.stack.passed_bytes import Passed, shrunk


def lines(laws: Laws, passed: Sequence[Passed]) -> Iterator[str]:
    """Yield the tried laws with their results."""
    lost = f"{len(laws.losses)} times throughput falls" if laws.losses else "throughput never falls"
    numbers = f"{len(laws.moved)} number{'s' if len(laws.moved) != 1 else ''}"
    yield f"laws: {numbers}, each doubled and halved: where that should lose nothing, {lost}"
    held = f" (bounds of {laws.held_back} allow no more)" if laws.held_back else ""
    faster = f"laws: all times and rates {laws.factor:.3g} times as fast{held}"
    yield f"{faster}: {laws.times:.3f} times the throughput"
    yield f"bytes of a request: {', '.join(f'{each.layer} {_bytes(each)}' for each in passed)}"


def _bytes(passed: Passed) -> str:
    return size_text(round(passed.size_bytes)) if passed.size_bytes else "as a run decides"


def warnings(laws: Laws, passed: Sequence[Passed]) -> Iterator[str]:
    """Yield a line for each violated law."""
    for loss in laws.losses:
        yield (
            f"{loss.name} from {loss.worse} to {loss.better} loses {loss.lost:.1%} of throughput; "
            "if that is not intended, check where it is used"
        )
    if not laws.in_proportion:
        yield (
            f"all times and rates {laws.factor:.3g} times as fast give {laws.times:.3f} times the throughput: "
            "some time or rate is no parameter; make it one, also where a layer keeps a default"
        )
    for upper, lower in shrunk(passed):
        yield f"of {_bytes(upper)} that {upper.layer} is asked for, {lower.layer} below it gets {_bytes(lower)}"
