"""How many published figures lie in their bands: ``python -m benchmarks.bands [DATASET …]``.

Nine of ten should. Counted are figures that had no part in what predicts them: those that no parameter was made
from, and those that a fit met without having seen their run. Each is held against four bands: that of parameters
and scatter about the fit alone; the one that is printed, in which its own miss counts; one without that miss; and
one that knows of no miss of its dataset, as of a system that is new. A rounded figure is inside if any value is
that rounds to it. The last column is half of the width of the printed band, in the median.

Then a line for each transfer of a fit, with rates and latencies apart: how many of the figures that it did not
see lie in the band that would have been printed before, which knows of all misses but those of this transfer.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from sim.data.dataset import Dataset, Measurement
from sim.data.fitted import Fitted, path_in, read
from sim.engine.simulation.options import RunOptions
from sim.prediction.bands import banded
from sim.prediction.misses import Misses, misses_of, moved_misses, next_miss
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.report import case_of, datasets, system_of
from sim.prediction.roles import role_of
from sim.prediction.transfers import placed
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case
from sim.system.system import System

KNOWING = ("without misses", "as printed", "without its own miss", "without its dataset")


@dataclass(frozen=True)
class Tested:
    """A figure, and what was predicted of it without it.

    Attributes:
        shift: predicted without the figure, over predicted with it: 1, or what the fold of a fit says.
    """

    figure: Measurement
    prediction: Prediction
    role: str
    shift: float

    @property
    def miss(self) -> float:
        """Logarithm of predicted over published."""
        return math.log(self.prediction.value(self.figure.measure) * self.shift / self.figure.value)

    @property
    def kind(self) -> str:
        """The answer if it is one that other systems have too, or else what sort it is."""
        if self.figure.measure in ("throughput", "elapsed", "mean", "p99"):
            return self.figure.measure
        return "times" if self.figure.unit in ("s", "ms", "µs") else "others"


def tested(dataset: Dataset, system: System) -> Iterator[Tested]:
    """The figures that test ``system``; one prediction for all with the same conditions."""
    predictions: dict[Case, Prediction] = {}
    for figure in dataset.predicted():
        case, role = case_of(system, figure), role_of(system, dataset, figure)
        held_out = system.parameters.held_out.get(figure.cell)
        if role == "predicted" or held_out is not None:
            if case not in predictions:
                predictions[case] = predict_case(case, RunOptions(answers=("throughput",)), intervals=True)
            prediction = predictions[case]
            shift = held_out / prediction.value(figure.measure) if held_out else 1.0
            yield Tested(figure, prediction, "held out" if held_out else role, shift)


def inside(each: Tested, known: Misses, scatter: float) -> bool:
    """Whether the figure lies in the band that these misses make."""
    band = band_of(each, known, scatter)
    return band is not None and _holds(band, each)


def band_of(each: Tested, known: Misses, scatter: float) -> PredictionInterval | None:
    """The band of the figure's prediction that these misses make; None where nothing is open."""
    opened = each.prediction.opened.get(each.figure.measure)
    if opened is None:
        return None
    case = each.prediction.case
    miss = next_miss(known, scatter, each.figure.measure, moved_misses(case))
    return banded(case, each.prediction.answers, each.figure.measure, opened, miss)


def _holds(band: PredictionInterval, each: Tested) -> bool:
    moved = replace(band, low=band.low * each.shift, high=band.high * each.shift)
    value, rounding = each.figure.value, each.figure.half_width
    return moved.low <= value + rounding and value - rounding <= moved.high


def without(known: Misses, those: Sequence[Tested]) -> Misses:
    """``known`` less the misses of ``those``."""
    left = {measure: list(misses) for measure, misses in known.items()}
    for each in those:
        misses = left.get(each.figure.measure)
        if misses:
            misses.remove(min(misses, key=lambda miss: abs(miss - each.miss)))
    return {measure: tuple(misses) for measure, misses in left.items() if misses}


def verdicts(dataset: Dataset, system: System) -> Iterator[tuple[Tested, tuple[bool, ...]]]:
    """Each figure that tests ``system``, and whether it lies in each of the four bands."""
    figures, known, scatter = list(tested(dataset, system)), misses_of(system), system.parameters.scatter
    foreign = without(known, figures)
    for each in figures:
        ways = ((known, scatter), (without(known, [each]), scatter), (foreign, 0.0))
        opened = each.prediction.opened.get(each.figure.measure)
        yield each, (opened is not None and _holds(opened, each), *(inside(each, *way) for way in ways))


def half_width(each: Tested) -> float:
    """Half of the width of the printed band, as a share; nan where nothing is open."""
    band = each.prediction.intervals.get(each.figure.measure)
    return math.sqrt(band.high / band.low) - 1.0 if band and band.low > 0.0 else math.nan


Line = tuple[str, str, str]
"""Of the table: dataset, role and kind of answer."""

ALL = "**all**"


def main(words: Sequence[str]) -> None:
    """Print a line for each figure outside its printed band, then a table by dataset, role and answer."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bands", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="DATASET", help="only these")
    sys.stdout.write(f"| dataset | role | answer | figures | {' | '.join(KNOWING)} | width |\n|{'---|' * 9}\n")
    totals: dict[Line, list[tuple[float, tuple[bool, ...]]]] = defaultdict(list)
    for dataset in datasets(parser.parse_args(words).names):
        lines: dict[Line, list[tuple[float, tuple[bool, ...]]]] = defaultdict(list)
        for each, found in verdicts(dataset, system_of(dataset, None)):
            for those, line in (lines, (dataset.name, each.role, each.kind)), (totals, (ALL, each.role, "")):
                those[line].append((half_width(each), found))
            if not found[KNOWING.index("as printed")]:
                sys.stderr.write(f"{each.figure.cell}: missed by {math.expm1(each.miss):+.1%}, {each.role}\n")
        _print(lines)
    _print(totals)
    _print_moved(datasets(parser.parse_args(words).names))


def _print(lines: Mapping[Line, Sequence[tuple[float, tuple[bool, ...]]]]) -> None:
    for line, figures in lines.items():
        widths, found = zip(*figures, strict=True)
        held = (str(sum(way)) for way in zip(*found, strict=True))
        cells = (*line, str(len(figures)), *held, f"±{median(widths):.0%}")
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
        sys.stdout.flush()


def _print_moved(chosen: Sequence[Dataset]) -> None:
    """How many figures of each transfer lie in their bands, and of all together, rates and latencies apart."""
    totals: dict[str, list[bool]] = defaultdict(list)
    sys.stdout.write(f"\n| moved | answer | figures | in bands |\n|{'---|' * 4}\n")
    for name, fitted in _fits(chosen).items():
        for to in (*fitted.along(), *fitted.elsewhere()):
            found: dict[str, list[bool]] = defaultdict(list)
            for each in placed(fitted, to):
                found[each.kind].append(each.inside)
                totals[each.kind].append(each.inside)
            for kind, inside in found.items():
                sys.stdout.write(f"| {name}: {to} | {kind} | {len(inside)} | {sum(inside)} |\n")
    for kind, inside in totals.items():
        sys.stdout.write(f"| {ALL} | {kind} | {len(inside)} | {sum(inside)} |\n")


def _fits(chosen: Sequence[Dataset]) -> dict[str, Fitted]:
    """The fits that the systems of the datasets come with, by name."""
    systems = {each.system: system_of(each, None) for each in chosen}
    read_in = {name: read(path_in(each.data_package, name)) for name, each in systems.items() if each.data_package}
    return {name: fitted for name, fitted in read_in.items() if fitted}


if __name__ == "__main__":
    main(sys.argv[1:])
