"""How many published figures lie in their prediction intervals: ``python -m benchmarks.bands [DATASET …]``.

Nine of ten should. Every figure of a dataset is predicted under its conditions, with the interval that a fit and
the ranges of assumed and derived parameters leave, and counted by its role: *predicted* if nothing was fitted to
it or derived from it. It is inside if any value is that rounds to it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

from sim.data.dataset import Dataset, Measurement
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.report import case_of, datasets, role_of, system_of
from sim.simulation.options import RunOptions
from sim.system.system import System


def inside(prediction: Prediction, figure: Measurement) -> bool:
    """Whether ``figure`` lies in its prediction interval."""
    interval = prediction.intervals.get(figure.measure)
    if interval is None:
        return False
    return interval.low <= figure.value + figure.half_width and figure.value - figure.half_width <= interval.high


def counted(dataset: Dataset, system: System) -> Iterator[tuple[str, Measurement, Prediction]]:
    """The role of each figure, and its prediction; one for all figures with the same conditions."""
    predictions: dict[tuple[object, ...], Prediction] = {}
    for figure in dataset.predicted():
        case = case_of(system, figure)
        key = tuple(case.settings.items())
        if key not in predictions:
            predictions[key] = predict_case(case, RunOptions(answers=("throughput",)), intervals=True)
        yield role_of(system, figure), figure, predictions[key]


def main(words: Sequence[str]) -> None:
    """Print a line for each figure outside, then a table by dataset."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bands", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="DATASET", help="only these")
    sys.stdout.write("| dataset | role | figures | inside |\n|---|---|---|---|\n")
    for dataset in datasets(parser.parse_args(words).names):
        found: dict[str, list[bool]] = defaultdict(list)
        for role, figure, prediction in counted(dataset, system_of(dataset, None)):
            found[role].append(inside(prediction, figure))
            if not found[role][-1]:
                interval = prediction.intervals.get(figure.measure)
                ends = f"{interval.low:.4g} … {interval.high:.4g}" if interval else "none"
                sys.stderr.write(f"{figure.cell}: {figure.value:g} {figure.unit}, {ends}, {role}\n")
        for role, answers in found.items():
            sys.stdout.write(f"| {dataset.name} | {role} | {len(answers)} | {sum(answers)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
