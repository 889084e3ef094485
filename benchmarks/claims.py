"""Is a broken claim noticed, and a true one left alone? ``python -m benchmarks.claims [--claims N] [--seed S]``.

Claims are made from the models and from the catalogue of hardware, true ones and the same ones broken in ten ways
by 1.5 to 10 times (`benchmarks.broken_claims`), written to a file, read from it and judged. A broken one is
*caught* if it is called a contradiction, impossible or implausible, and *explained* if its cause is among the
first three explanations as well. The exit status says whether all targets are met.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.broken_claims import of_hardware as hardware
from benchmarks.broken_claims import of_models as models
from benchmarks.broken_claims.made import TRUE, Made, file_of
from sim.engine.simulation.options import RunOptions
from stacksim.claims.claim_file import read
from stacksim.claims.judge import judge

CLAIMS = 1000
OF_MODELS = 0.3
"""Share of the claims that are about models; the others are about hardware alone."""

FIRST = 3
"""Explanations among which the cause has to be."""

EXPLAINED, CALLED_FALSE, IMPLAUSIBLE = 0.95, 0.02, 0.10
"""Broken claims to be caught with their cause, at least; true ones called false, and implausible, at most."""

_CAUGHT = {"contradiction", "impossible", "implausible"}


@dataclass(frozen=True)
class Outcome:
    """What became of a claim: its verdict, and the causes of its explanations, best first."""

    made: Made
    verdict: str
    causes: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Whether it was called a contradiction, impossible or implausible."""
        return self.verdict in _CAUGHT

    @property
    def explained(self) -> bool:
        """Whether it was caught, with its cause among the first explanations."""
        return self.caught and any(cause in self.made.causes for cause in self.causes[:FIRST])


def claims(seed: int, count: int, of_models: float = OF_MODELS) -> list[Made]:
    """So many claims, about a quarter of them true, and a share of them about models; none twice."""
    draws = random.Random(seed)  # noqa: S311  (a study, no secret)
    made: dict[str, Made] = {}
    while len(made) < count:
        few = of_models > 0.0 and sum(each.kind == "model" for each in made.values()) < of_models * (len(made) + 1)
        pairs = models.pairs if few else hardware.pairs
        made |= {file_of([each]): each for each in pairs(draws) if each is not None}
    return list(made.values())[:count]


def study(made: Sequence[Made], run: Callable[..., Iterable[Outcome]] = map) -> list[Outcome]:
    """Write ``made`` to a claim file, and judge what is read from it; ``run`` may be that of a pool."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.toml"
        path.write_text(file_of(made), encoding="utf-8")
        return list(run(partial(_outcome, path), made, range(len(made))))


_read = cache(read)


def _outcome(path: Path, made: Made, index: int) -> Outcome:
    verdict = judge(_read(path)[index], RunOptions(precision=0.02))
    return Outcome(made, verdict.verdict, tuple(each.cause for each in verdict.explanations))


def shares(outcomes: Sequence[Outcome]) -> tuple[float, float, float]:
    """Of broken claims: caught with their cause. Of true ones: called false, and implausible."""
    true = [each for each in outcomes if each.made.way == TRUE]
    wrong = [each for each in outcomes if each.made.way != TRUE]
    called_false = sum(each.verdict in {"contradiction", "impossible"} for each in true)
    implausible = sum(each.verdict == "implausible" for each in true)
    return (
        sum(each.explained for each in wrong) / max(len(wrong), 1),
        called_false / max(len(true), 1),
        implausible / max(len(true), 1),
    )


def met(outcomes: Sequence[Outcome]) -> bool:
    """Whether all targets are met."""
    explained, called_false, implausible = shares(outcomes)
    return explained >= EXPLAINED and called_false <= CALLED_FALSE and implausible <= IMPLAUSIBLE


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Markdown: by kind of claim and way of breaking it, then what is to be met."""
    yield "| about | broken | claims | caught | with its cause | called false | implausible |"
    yield "|---|---|---|---|---|---|---|"
    groups = sorted({(each.made.kind, each.made.way == TRUE, each.made.way, each.made.cause) for each in outcomes})
    for kind, _, way, cause in groups:
        of = [each for each in outcomes if (each.made.kind, each.made.way, each.made.cause) == (kind, way, cause)]
        yield _row(kind, way, cause, of)
    explained, called_false, implausible = shares(outcomes)
    yield ""
    yield f"broken claims caught with their cause: {explained:.1%} (at least {EXPLAINED:.0%})"
    yield f"true claims called false: {called_false:.1%} (at most {CALLED_FALSE:.0%})"
    yield f"true claims called implausible: {implausible:.1%} (at most {IMPLAUSIBLE:.0%})"


def _row(kind: str, way: str, cause: str, of: Sequence[Outcome]) -> str:
    name = way if cause in {"", way} else f"{way}: {cause}"
    if way == TRUE:
        called_false = sum(each.verdict in {"contradiction", "impossible"} for each in of)
        implausible = sum(each.verdict == "implausible" for each in of)
        return f"| {kind} | no | {len(of)} | | | {called_false} | {implausible} |"
    caught, explained = sum(each.caught for each in of), sum(each.explained for each in of)
    return f"| {kind} | {name} | {len(of)} | {caught} | {explained} | | |"


def main(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.add_argument("--claims", type=int, default=CLAIMS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="the claims that were misjudged, too")
    given = parser.parse_args(words)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = study(claims(given.seed, given.claims), partial(pool.map, chunksize=8))
    sys.stdout.write("\n".join(table(outcomes)) + "\n")
    if given.missed:
        sys.stdout.writelines(f"{line}\n" for line in _missed(outcomes))
    return 0 if met(outcomes) else 1


def _missed(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for each in outcomes:
        if each.caught if each.made.way == TRUE else not each.explained:
            yield f"{each.made.way} ({each.made.cause}): {each.verdict}, {each.causes}: {dict(each.made.table)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
