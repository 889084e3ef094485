"""What simulations say of the random models of ``benchmarks/mechanisms``, kept in a folder: models are drawn anew.

``python -m benchmarks.truths FOLDER`` simulates what is not there yet, on one processor, and may be interrupted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from benchmarks.mechanisms import MECHANISMS
from sim import Model, StacksimError, simulate

LEARN, FRESH = "learn", "fresh"
"""Seeds of the models that bands are learnt from, and of those that try them."""

MODELS = {LEARN: 300, FRESH: 240}
"""Models of each kind."""

OFTEN_UNKNOWN = {"arrivals": 2.5, "beside": 1.7, "beside_lock": 2.0}
"""Kinds of which so many times as many are made, because their latency often is not known by the end of a run."""

PIECE = 30
"""Models of one kind that are simulated before those of the next."""

PRECISION, WORST, MAX_STEPS = 0.015, 0.04, 1_000_000
"""To which precision throughput is sought, which is too little to count, and the steps that a model may take."""


@dataclass(frozen=True)
class Truth:
    """One group of a random model, simulated.

    Attributes:
        group: drawn by chance among those of the model.
        throughput: requests per second; nan if it is not known.
        latency_s: mean; nan if it is not known.
    """

    kind: str
    seed: str
    number: int
    group: str
    throughput: float
    latency_s: float


def model(kind: str, seed: str, number: int) -> Model:
    """The random model of that name."""
    return MECHANISMS[kind](Random(f"{seed} {kind} {number}"))  # noqa: S311  (models, not secrets)


def simulated(kind: str, seed: str, number: int) -> Truth:
    """Simulate one of them."""
    drawn = model(kind, seed, number)
    group = Random(f"{seed} {kind} {number} group").choice(drawn.groups)  # noqa: S311
    values = [float("nan")] * 2
    try:
        result = simulate(
            drawn, watch=group, precision=PRECISION, answers=("throughput", "mean"), max_steps=MAX_STEPS
        ).groups[group]
        found = result.throughput, result.latency.mean
        values = [each.value if each.precision <= WORST else float("nan") for each in found]
    except StacksimError:
        pass
    return Truth(kind, seed, number, group, *values)


def kept(folder: Path, seed: str) -> Iterator[Truth]:
    """Those of a seed that are in ``folder``."""
    for kind in MECHANISMS:
        file = _file(folder, seed, kind)
        for line in file.read_text().splitlines() if file.exists() else ():
            yield Truth(**json.loads(line))


def _file(folder: Path, seed: str, kind: str) -> Path:
    return folder / f"{seed}-{kind}.jsonl"


def simulate_all(folder: Path, seed: str) -> None:
    """Simulate what is not in ``folder`` yet, piece by piece."""
    for most in range(PIECE, MODELS[seed] + 1, PIECE):
        for kind in MECHANISMS:
            with _file(folder, seed, kind).open("a+") as lines:
                lines.seek(0)
                for number in range(len(lines.readlines()), round(most * OFTEN_UNKNOWN.get(kind, 1.0))):
                    lines.write(json.dumps(asdict(simulated(kind, seed, number))) + "\n")
        sys.stdout.write(f"{seed}: {most} of each kind\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _folder = Path(sys.argv[1])
    _folder.mkdir(parents=True, exist_ok=True)
    for _seed in sys.argv[2:] or MODELS:
        simulate_all(_folder, _seed)
