"""Whether a long run is told from none, over many seeds: ``python -m benchmarks.refusals [WORD …]``.

Each of the models of ``benchmarks/long_runs.py`` is run for its throughput within the usual budget. *Wrong* is an
answer called known that is more than twice the precision off the truth, or any answer of a model that has no long
run; *not known* is marked so, with a warning that names what still changes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context

from benchmarks.long_runs import Case, stable, unstable
from sim import ModelError, NoSteadyStateError, simulate

PRECISION = 0.01
OUTCOMES = ("right", "not known", "refused", "wrong")

CASES = {case.name: case for case in chain(stable(), unstable())}


def outcome(name: str, seed: int) -> tuple[str, str]:
    """Which of ``OUTCOMES``, and the cause that was told."""
    case = CASES[name]
    try:
        found = simulate(case.model, watch=case.watch, seed=seed, answers=("throughput",), precision=PRECISION)
    except (NoSteadyStateError, ModelError) as error:  # a ModelError where there is no room for a crowd
        return "refused", str(error)
    if not found.throughput.known:
        return "not known", found.warnings[0]
    if case.throughput is not None and abs(found.throughput.value / case.throughput - 1.0) <= 2 * PRECISION:
        return "right", ""
    return "wrong", f"{found.throughput.value:g} at seed {seed}"


def row(case: Case, found: Iterable[tuple[str, str]]) -> tuple[Counter[str], str]:
    """How often each outcome came about, and a line of the table."""
    told = list(found)
    counted = Counter(name for name, _ in told)
    causes = Counter(_short(cause) for name, cause in told if name != "right")
    shares = " | ".join(f"{counted[name] / len(told):.1%}" if counted[name] else "" for name in OUTCOMES)
    return counted, f"| {case.name} | {shares} | {'; '.join(cause for cause, _ in causes.most_common(2))} |"


def _short(cause: str) -> str:
    """Without what differs from seed to seed: figures in brackets, and what comes after a comma."""
    plain = cause.removeprefix("not known well enough: ").removeprefix("no steady state: ")
    return plain.split(" (")[0].split(",")[0]


def main(words: Sequence[str]) -> None:
    """Print the table, and the shares of stable and of unstable models."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refusals", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="only models whose names hold one of these")
    parser.add_argument("--seeds", type=int, default=200)
    given = parser.parse_args(words)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for title, cases in (("stable", stable()), ("without a long run", unstable())):
            total: Counter[str] = Counter()
            for case in cases:
                if given.words and not any(word in case.name for word in given.words):
                    continue
                seeds = range(1, 1 + (given.seeds if case.random else 1))
                counted, line = row(case, pool.map(partial(outcome, case.name), seeds, chunksize=2))
                total.update({name: count * given.seeds // len(seeds) for name, count in counted.items()})
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
            if total:
                shares = ", ".join(f"{name} {total[name] / total.total():.2%}" for name in OUTCOMES)
                sys.stdout.write(f"{title}: {shares}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
