"""``python -m benchmarks.blind.goals FOLDER [MOUNT …]``: does a design that ``stacksim find`` gives keep its goal?

For each mount that a blind run measured into FOLDER, ``find`` looks for the most processes that keep a p99; then
that many run, three times, and their p99 is printed beside the goal. An answer without a design is a refusal.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.blind.mounts import MOUNTS

STACKSIM = Path(sys.executable).with_name("stacksim")
GOALS = {"2ms": 2e-3, "500us": 5e-4}
SETTINGS = ("users=1..64", "block=4KiB", "op=read")
SECONDS, TIMES = 2, 3


def main(words: Sequence[str]) -> None:
    """Print a line for each mount and goal."""
    folder, *names = words
    for name in names or MOUNTS:
        with MOUNTS[name]() as place:
            for line in checked(Path(folder) / name / "measured", place):
                print(f"{name}: {line}", flush=True)  # noqa: T201


def checked(fitted: Path, place: Path) -> Iterator[str]:
    """A line for each goal: the design and the p99 that was measured of it, or that there is none."""
    for goal, most_s in GOALS.items():
        users = _found(fitted, goal)
        if users is None:
            yield f"p99<={goal}: refused"
            continue
        seen_s = statistics.median([_p99_s(place, users) for _ in range(TIMES)])
        beside = f"{seen_s * 1e6:.4g} us, {seen_s / most_s - 1.0:+.0%} of the goal"
        yield f"p99<={goal}: users={users}, measured {beside}"


def _found(fitted: Path, goal: str) -> int | None:
    words = [
        str(STACKSIM),
        "find",
        str(fitted / "stack.toml"),
        "--fitted",
        str(fitted / "fit.json"),
        f"p99<={goal}",
    ]
    done = subprocess.run(  # noqa: S603
        [*words, *SETTINGS, "--largest", "users", "--json", "-q"], check=False, capture_output=True, text=True
    )
    design = json.loads(done.stdout)["design"] if done.stdout else None
    return int(design["users"]) if design else None


def _p99_s(place: Path, users: int) -> float:
    words = [
        "fio",
        "--name=goal",
        "--rw=randread",
        "--bs=4k",
        f"--numjobs={users}",
        "--ioengine=psync",
        "--direct=1",
    ]
    where = [f"--directory={place}", "--filename_format=goal.$jobnum", "--size=32m", "--fallocate=none"]
    timed = ["--time_based", f"--runtime={SECONDS}s", "--norandommap", "--group_reporting", "--lat_percentiles=1"]
    done = subprocess.run(  # noqa: S603
        [*words, *where, *timed, "--output-format=json"], check=True, capture_output=True, text=True
    )
    report = json.loads(done.stdout[done.stdout.index("{") :])
    return float(report["jobs"][0]["read"]["lat_ns"]["percentile"]["99.000000"]) * 1e-9


if __name__ == "__main__":
    main(sys.argv[1:])
