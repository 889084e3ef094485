"""``python -m benchmarks blind [MOUNT …]``: measure, predict, write down, run, and print how far off each was.

For each mount it has ``stacksim measure`` fit a stack, predicts fio jobs that a printed seed draws, writes the
predictions down, and only then runs the jobs: three passes over all of them, so that the spread of a job's runs
says how far the machine drifts. Before each pass two jobs of the measurement are run again. Baselines are curves
through the measurement's own fio runs. It needs fio; bindfs, and root, for most mounts; and an idle machine: some
twenty minutes a mount.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.blind.jobs import KINDS, Job, drawn, plain_job
from benchmarks.blind.mounts import MOUNTS
from sim.data.baselines import baselines
from sim.data.shape import Shape

STACKSIM = Path(sys.executable).with_name("stacksim")
SECONDS, TIMES, AGAIN_KIB = 2, 3, 64
SHAPE = Shape("block", (("users", "depth"), ("users",), ()), ("op", "durable", "order"))
CURVES = ("nearest neighbour", "log-linear interpolation", "capped linear", "Gaussian process")
CLOSE = 0.5
"""A percentile that is off by no more is told well."""


LATENCIES = ("mean", "p50", "p99")


@dataclass(frozen=True)
class Seen:
    """I/Os a second of all sections together, and latencies in seconds, as fio reports them.

    Attributes:
        latencies: the mean; of jobs that do one thing also percentiles.
    """

    iops: float
    latencies: Mapping[str, float]

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> Seen:
        """A flush that fio counts apart (fsync) belongs to the mean of its write; percentiles are then unknown."""
        sides = [side for job in report["jobs"] for op in ("read", "write") if (side := job[op])["iops"]]
        flushes = [side for job in report["jobs"] if (side := job["sync"])["total_ios"]]
        iops = sum(side["iops"] for side in sides)
        waited_ns = sum(side["total_ios"] * side["lat_ns"]["mean"] for side in (*sides, *flushes))
        latencies = {"mean": waited_ns / sum(side["total_ios"] for side in sides) * 1e-9}
        if len(sides) == 1 and not flushes:
            told = sides[0]["lat_ns"].get("percentile", {})
            names = (("p50", "50.000000"), ("p99", "99.000000"))
            latencies |= {name: told[key] * 1e-9 for name, key in names if key in told}
        return cls(iops, latencies)


@dataclass(frozen=True)
class Told:
    """What is predicted of one answer, and the ends of its band."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scored:
    """A job, what was measured, and who said what of its I/Os a second; the band of the stack, if it has one.

    Attributes:
        latencies: what was predicted of them, by name.
    """

    job: Job
    measured: Seen
    spread: float
    said: Mapping[str, float]
    band: tuple[float, float] | None
    latencies: Mapping[str, Told]


def main(words: Sequence[str]) -> None:
    """Print a table for each mount, and one of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks blind", description=__doc__)
    parser.add_argument("mounts", nargs="*", metavar="MOUNT", help=", ".join(MOUNTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the 63 jobs")
    parser.add_argument("--output", type=Path, default=Path("blind"), help="folder for all that is found")
    given = parser.parse_args(words)
    print(f"seed {given.seed}, {len(drawn(given.seed, given.share))} jobs a mount, {TIMES} runs each\n")  # noqa: T201
    scored = {name: list(_mount(name, given)) for name in given.mounts or MOUNTS}
    for name, each in scored.items():
        print(table(name, each))  # noqa: T201
    print(table("all", [one for each in scored.values() for one in each]))  # noqa: T201


def _mount(name: str, given: argparse.Namespace) -> Iterator[Scored]:
    folder = given.output / name
    folder.mkdir(parents=True)
    with MOUNTS[name]() as place:
        fitted = folder / "measured"
        _run(
            [str(STACKSIM), "measure", str(place), "--yes", "-q", "--output", str(fitted)], folder / "measure.txt"
        )
        jobs = drawn(given.seed, given.share)
        files = [_written(folder / f"{at:02}.fio", job, place) for at, job in enumerate(jobs)]
        predicted = [_predicted(fitted, file) for file in files]
        curves = _curves(fitted)
        then = _rows(fitted / "twice-the-load.csv")
        again = {
            row["op"]: (float(row["value"]), _again(folder, row["op"], place))
            for row in then
            if _kib(row["block"]) == AGAIN_KIB
        }
        passes: list[list[Seen]] = []
        for number in range(TIMES):
            for op, (measured, file) in again.items():
                drift = _ran(file, number).iops * AGAIN_KIB * 1024 / 1e6 / measured - 1.0
                print(f"{name}, pass {number + 1}: {op} of the measurement {drift:+.0%} again", flush=True)  # noqa: T201
            passes.append([_ran(file, number) for file in files])
        for job, found, runs in zip(jobs, predicted, zip(*passes, strict=True), strict=True):
            rates = [run.iops for run in runs]
            median = runs[rates.index(statistics.median_low(rates))]
            said = {curve: _by(says, job) for curve, says in curves.items()} | (found[0] if found else {})
            spread = (max(rates) - min(rates)) / median.iops
            yield Scored(job, median, spread, said, found[1] if found else None, found[2] if found else {})


def _written(path: Path, job: Job, place: Path) -> Path:
    """The job file; processes share a set of files, which are laid out once."""
    whole = f"[global]\ndirectory={place}\nfilename_format=blind.$jobnum\nsize=64m\ndirect=1\ntime_based\n"
    whole += f"runtime={SECONDS}s\nnorandommap\ngroup_reporting\nlat_percentiles=1\n"
    path.write_text(whole + "".join(f"\n[{chr(97 + at)}]\n{each}" for at, each in enumerate(job.sections)))
    return path


Said = tuple[dict[str, float], tuple[float, float] | None, dict[str, Told]]


def _predicted(fitted: Path, file: Path) -> Said | None:
    """What the stack says, what is expected beside its jobs, and of latencies; None where it refuses the job."""
    words = [str(STACKSIM), "predict", str(fitted / "stack.toml"), "--fitted", str(fitted / "fit.json")]
    try:
        text = _run([*words, "--job", str(file), "-q", "--json"], file.with_suffix(".json"))
    except subprocess.CalledProcessError as error:
        file.with_suffix(".refused").write_text(error.stderr)
        return None
    groups = json.loads(text)
    first = groups[0] if isinstance(groups, list) else groups
    several = [each["value"] for name, each in first["measures"].items() if name.endswith(" iops")]
    if several:  # of which the stack alone speaks
        return {"stack": first["measures"]["iops"]["value"] + sum(several)}, None, {}
    iops, band = first["measures"]["iops"]["value"], first["bands"].get("iops")
    expected = (band or {}).get("expected") or iops
    return {"stack": iops, "expected": expected}, (band["low"], band["high"]) if band else None, _latencies(first)


def _latencies(record: Mapping[str, Any]) -> dict[str, Told]:
    """The mean of a cycle that is nothing but I/O, and the percentiles that jobs or the model tell."""
    told = {
        name: Told(each["value"], each["low"], each["high"]) for name, each in record["told_percentiles"].items()
    }
    for name in LATENCIES:
        band, value = record["bands"].get(name), record["latency"][name]
        if name not in told and band and value:
            told[name] = Told(band.get("expected") or value, band["low"], band["high"])
    return told


def _ran(file: Path, number: int) -> Seen:
    kept = file.with_suffix(f".{number + 1}.out")
    return Seen.of(json.loads(_run(["fio", "--output-format=json", str(file)], kept)))


def _again(folder: Path, op: str, place: Path) -> Path:
    """A job that each measurement has run: eight processes with four requests of 64 KiB in flight each."""
    return _written(folder / f"again-{op}.fio", plain_job("again", op, AGAIN_KIB, 8, 4), place)


def _curves(fitted: Path) -> dict[str, Any]:
    rows = [row for name in ("fitted", "held-out", "twice-the-load") for row in _rows(fitted / f"{name}.csv")]
    settings = [
        _place(
            (row["op"], _kib(row["block"]), int(row["users"]), int(row.get("depth") or 1)),
            row.get("durable", "no"),
            row.get("order", "random"),
        )
        for row in rows
    ]
    iops = np.array([float(row["value"]) * 1e6 / 1024 / _kib(row["block"]) for row in rows])
    return {each.name: each.fit(settings, iops) for each in baselines(SHAPE) if each.name in CURVES}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["measure"] == "throughput"]


def _kib(text: str) -> float:
    return float(text.removesuffix("KiB")) if text.endswith("KiB") else 1024.0 * float(text.removesuffix("MiB"))


def _place(plain: tuple[str, float, int, int], durable: str, order: str) -> dict[str, Any]:
    names = ("op", "block", "users", "depth", "durable", "order")
    return dict(zip(names, (*plain, durable, order), strict=True))


def _by(says: Any, job: Job) -> float:
    section = job.sections[0]
    durable = "data" if re.search("fdatasync=1|sync=dsync", section) else "all" if "fsync=1" in section else "no"
    order = "random" if "rw=rand" in section else "sequential"
    return min(job.most, float(says(_place(job.place, durable, order))))


def _run(words: Sequence[str], kept: Path) -> str:
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    kept.write_text(done.stdout)
    return done.stdout


def table(name: str, scored: Sequence[Scored]) -> str:
    """Median and worst error of I/Os a second by who said them, and by kind; how often bands hold."""
    told = [each for each in scored if "stack" in each.said]
    spread = statistics.median([each.spread for each in scored])
    lines = [f"{name}: {len(scored)} jobs, {len(scored) - len(told)} refused, runs differ by {spread:.1%}"]
    for who in ("stack", "expected", *CURVES):
        said = [(each, each.said.get(who, each.said["stack"])) for each in told]
        lines += [f"  {who:<26} {_errors(said)}"]
    banded = [(each, each.band) for each in told if each.band]
    inside = sum(low <= each.measured.iops <= high for each, (low, high) in banded)
    width = statistics.median([high / low for _, (low, high) in banded])
    lines += [f"  in their bands: {inside} of {len(banded)}, median width {width:.2g} times"]
    lines += [line for name in LATENCIES if (line := _latency_line(name, told))]
    for kind in KINDS:
        some = [each for each in told if each.job.kind == kind]
        best = min((_median([(each, each.said[who]) for each in some]) for who in CURVES), default=math.nan)
        ours = _median([(each, each.said.get("expected", each.said["stack"])) for each in some])
        lines.append(f"    {kind:<24} {len(some):3} {ours:6.0%} (best curve {best:.0%})")
    return "\n".join(lines) + "\n"


def _latency_line(name: str, scored: Sequence[Scored]) -> str:
    """How far off one latency was, of jobs that neither pace nor think."""
    pairs = [
        (each.latencies[name], each.measured.latencies[name])
        for each in scored
        if name in each.latencies and name in each.measured.latencies and math.isinf(each.job.most)
    ]
    if not pairs:
        return ""
    off = [math.exp(abs(math.log(told.value / measured))) - 1.0 for told, measured in pairs]
    inside = sum(told.low <= measured <= told.high for told, measured in pairs)
    width = statistics.median([told.high / told.low for told, _ in pairs])
    within = sum(each <= CLOSE for each in off)
    return (
        f"  {name:<5} of {len(pairs):2} jobs {statistics.median(off):5.0%} median, {within} within 1.5x, "
        f"{inside} in their bands, median width {width:.2g} times"
    )


def _errors(pairs: Sequence[tuple[Scored, float]]) -> str:
    off = [_off(*pair) for pair in pairs]
    return (
        f"{statistics.median(off):5.0%} median, {max(off):6.0%} worst, {sum(each > 1.0 for each in off)} beyond 2x"
    )


def _median(pairs: Sequence[tuple[Scored, float]]) -> float:
    return statistics.median([_off(*pair) for pair in pairs]) if pairs else math.nan


def _off(scored: Scored, said: float) -> float:
    """The factor between the two, less one."""
    return math.exp(abs(math.log(said / scored.measured.iops))) - 1.0


if __name__ == "__main__":
    main(sys.argv[1:])
