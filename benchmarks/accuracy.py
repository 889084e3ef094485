"""How far off the analytic engine is, by what is in a model: learnt on random models, and tried on fresh ones.

``python -m benchmarks.truths FOLDER`` simulates them; ``python -m benchmarks.accuracy FOLDER`` writes what follows
to ``sim/engine/analytic/studied.py``, and the tables of ``docs/dev/analytic.md``.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from subprocess import run

from benchmarks.mechanisms import MECHANISMS
from benchmarks.table import Row
from benchmarks.truths import FRESH, LEARN, Truth, kept, model, simulated
from sim import StacksimError
from sim.engine.analytic.accuracy import CONFIDENCE, Accuracy, Case, Ends, Features
from sim.engine.analytic.accuracy import accuracy as stated
from sim.engine.analytic.solve import solve

ROOT = Path(__file__).parents[1]

TAIL = 0.035
"""Share of the models left out on either side: more than nine of ten are within, as ends are known roughly."""

LEAST = 60
"""Models of a case at least."""

CASES = 4
"""Cases of a mechanism at most."""

STEPS = (0.15, 0.3, 0.5, 0.7, 0.85)
"""Quantiles of a feature at which cases may be told apart."""

WORTH = 0.08
"""Share by which the intervals must become narrower for another case."""


@dataclass(frozen=True)
class Answer:
    """One group of a random model, computed.

    Attributes:
        throughput: true over computed; latency likewise.
    """

    kind: str
    names: tuple[str, ...]
    features: Features
    throughput: float
    latency: float
    accuracy: Accuracy


def answers(truths: Iterable[Truth]) -> Iterator[Answer]:
    """Those that are neither refused nor exact, of the models whose truth is known."""
    for truth in truths:
        if math.isnan(truth.throughput) or math.isnan(truth.latency_s):
            continue
        try:
            group = solve(model(truth.kind, truth.seed, truth.number)).groups[truth.group]
        except StacksimError:
            continue
        if group.accuracy is not None and group.latency_s > 0.0:
            yield Answer(
                truth.kind,
                group.accuracy.names,
                group.accuracy.features,
                truth.throughput / group.throughput,
                truth.latency_s / group.latency_s,
                group.accuracy,
            )


def learnt(made: Iterable[Answer]) -> dict[str, list[Case]]:
    """Cases of every mechanism; models with several of them count where these are together."""
    by_name: dict[str, list[Answer]] = defaultdict(list)
    for answer in made:
        by_name[answer.names[-1]].append(answer)
    return {name: list(_cases(by_name[name], {}, CASES)) for name in sorted(by_name)}


def _cases(made: Sequence[Answer], limits: Mapping[str, tuple[float, float]], most: int) -> Iterator[Case]:
    """``made`` in up to ``most`` cases, told apart where that makes their intervals narrower."""
    best = min(_splits(made), key=lambda split: split[0], default=None) if most > 1 else None
    if best is None or best[0] > (1.0 - WORTH) * _width(made):
        yield Case(len(made), limits, *_ends(made))
        return
    _, feature, value = best
    low, high = limits.get(feature, (-math.inf, math.inf))
    below = [each for each in made if getattr(each.features, feature) <= value]
    above = [each for each in made if getattr(each.features, feature) > value]
    yield from _cases(below, {**limits, feature: (low, value)}, most // 2)
    yield from _cases(above, {**limits, feature: (value, high)}, most - most // 2)


def _splits(made: Sequence[Answer]) -> Iterator[tuple[float, str, float]]:
    """Mean width of the intervals on both sides of each value of a feature."""
    for field in fields(Features):
        values = sorted(getattr(each.features, field.name) for each in made)
        for step in STEPS:
            value = _rounded(values[int(step * len(values))])
            sides = [[], []]  # type: list[list[Answer]]
            for each in made:
                sides[getattr(each.features, field.name) > value].append(each)
            if min(map(len, sides)) >= LEAST:
                yield sum(len(side) * _width(side) for side in sides) / len(made), field.name, value


def _rounded(value: float) -> float:
    return float(f"{value:.2g}") if math.isfinite(value) else value


def _width(made: Sequence[Answer]) -> float:
    """Of both intervals, in logarithms: a hundredth counts as none, for truths are not known better."""
    return sum(math.log(ends.high / ends.low) + 0.01 for ends in _ends(made))


def _ends(made: Sequence[Answer]) -> tuple[Ends, Ends]:
    return _between([each.throughput for each in made]), _between([each.latency for each in made])


def _between(ratios: Iterable[float]) -> Ends:
    """The values that leave out a share of `TAIL` on either side."""
    ordered = sorted(ratios)
    out = int(TAIL * (len(ordered) + 1))
    low, high = ordered[max(out - 1, 0)], ordered[-max(out, 1)]
    return Ends(min(math.floor(low * 1e3) / 1e3, 1.0), max(math.ceil(high * 1e3) / 1e3, 1.0))


def tried(fresh: Iterable[Answer], studied: Mapping[str, Sequence[Case]]) -> Iterator[tuple[str, list[str]]]:
    """For each kind of model, and for all: the columns of the table."""
    by_kind: dict[str, list[tuple[Answer, Accuracy]]] = defaultdict(list)
    for answer in fresh:
        pair = answer, stated(answer.names, answer.features, studied)
        by_kind[answer.kind].append(pair)
        by_kind["all"].append(pair)
    for kind in (*MECHANISMS, "all"):
        if pairs := by_kind.get(kind):
            columns = [str(len(pairs))]
            for measure in ("throughput", "latency"):
                columns += _columns([(getattr(answer, measure), getattr(told, measure)) for answer, told in pairs])
            yield kind, columns


def _columns(pairs: list[tuple[float, Ends]]) -> list[str]:
    """Median, 95th and largest error; median ends; what part of the true values is between them."""
    errors = sorted(max(ratio, 1.0 / ratio) - 1.0 for ratio, _ in pairs)
    some = [errors[int(share * (len(errors) - 1))] for share in (0.5, 0.95, 1.0)]
    low, high = (sorted(each)[len(pairs) // 2] for each in zip(*((e.low, e.high) for _, e in pairs), strict=True))
    inside = sum(ends.holds(ratio) for ratio, ends in pairs) / len(pairs)
    return [" / ".join(f"{100 * each:.1f}" for each in some) + " %", str(Ends(low, high)), f"{inside:.0%}"]


def source(studied: Mapping[str, Sequence[Case]]) -> str:
    """The module that keeps ``studied``."""
    lines = [
        '"""Accuracy of approximate answers, mechanism by mechanism, from random models.',
        "",
        "Written by ``python -m benchmarks.accuracy FOLDER``, and not by hand.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        "from math import inf",
        "",
        "from sim.engine.analytic.accuracy import Case, Ends",
        "",
        "STUDIED: Mapping[str, Sequence[Case]] = {",
    ]
    for name, cases in studied.items():
        lines.append(f'    "{name}": (')
        for case in cases:
            limits = ", ".join(f'"{feature}": ({low!r}, {high!r})' for feature, (low, high) in case.limits.items())
            ends = ", ".join(f"Ends({each.low:.4g}, {each.high:.4g})" for each in (case.throughput, case.latency))
            lines.append(f"        Case({case.models}, {{{limits}}}, {ends}),")
        lines.append("    ),")
    return "\n".join([*lines, "}", ""])


def learned(studied: Mapping[str, Sequence[Case]]) -> str:
    """What was learnt, as a table of the page."""
    lines = ["| mechanism | where | models | throughput | latency |", "|---|---|---|---|---|"]
    for name, cases in studied.items():
        for row, case in enumerate(cases):
            shown = "" if row else name
            lines.append(f"| {shown} | {_where(case)} | {case.models} | {case.throughput} | {case.latency} |")
    return "\n".join([*lines, ""])


def held(studied: Mapping[str, Sequence[Case]], fresh: Iterable[Answer]) -> str:
    """What fresh models say of it, as another one."""
    header = "| fresh models | n | throughput | stated | inside | latency | stated | inside |"
    rows = [f"| {' | '.join((f'`{kind}`', *columns))} |" for kind, columns in tried(fresh, studied)]
    return "\n".join([header, "|" + "---|" * 8, *rows, ""])


def _where(case: Case) -> str:
    """What the models of ``case`` have in common, in words."""
    return ", ".join(_limited(feature, *limits) for feature, limits in case.limits.items()) or "all"


def _limited(feature: str, low: float, high: float) -> str:
    unit, scale = ("%", 100.0) if feature in ("waiting", "reached") else ("", 1.0)
    if math.isinf(low):
        return f"{feature} ≤ {scale * high:g}{unit}"
    if math.isinf(high):
        return f"{feature} > {scale * low:g}{unit}"
    return f"{scale * low:g}{unit} < {feature} ≤ {scale * high:g}{unit}"


BEGIN, END = "<!-- written by python -m benchmarks.accuracy -->\n", "<!-- to here -->\n"


def main(folder: Path) -> None:
    """Learn from what is in ``folder``; write the module and the tables, and print these."""
    studied = learnt(answers(kept(folder, LEARN)))
    module, page = ROOT / "sim" / "engine" / "analytic" / "studied.py", ROOT / "docs" / "dev" / "analytic.md"
    module.write_text(source(studied))
    run((sys.executable, "-m", "ruff", "format", "-q", str(module)), check=True)  # noqa: S603
    fresh = held(studied, answers(kept(folder, FRESH)))
    header, rule, *_, together = fresh.splitlines()
    before, _, rest = page.read_text().partition(BEGIN)
    written = "\n".join([learned(studied), header, rule, together, ""])
    page.write_text(f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}")
    sys.stdout.write(f"{learned(studied)}\n{fresh}")


def accuracy() -> Iterator[Row]:
    """Of a few new models of each kind: what part of the answers is within what is stated."""
    for name in MECHANISMS:
        made = list(answers(simulated(name, "tried", number) for number in range(40)))
        inside = [
            sum(getattr(each.accuracy, side).holds(getattr(each, side)) for each in made) / len(made)
            for side in ("throughput", "latency")
        ]
        yield Row(f"{name}: {len(made)} models", f"{CONFIDENCE:.0%}", f"{inside[0]:.0%} {inside[1]:.0%}", "within")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
